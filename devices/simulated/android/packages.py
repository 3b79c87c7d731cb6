"""`pm` and `cmd package`: listing, paths, resolving, clearing, permissions."""

from __future__ import annotations

from dataclasses import dataclass

from devices.simulated.android.answers import Arguments, JavaError, err, out, thrown
from devices.simulated.android.intents import HOME, LAUNCHER, MAIN, parse_intent, resolve
from devices.simulated.command import Call, Result
from devices.simulated.phone import Phone
from devices.simulated.ui import App


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package; some have no app that can be opened."""

    name: str
    path: str
    uid: int
    version_name: str
    version_code: int
    is_system: bool


_WITHOUT_APP = (
    Package(
        "com.android.adbkeyboard", "/data/app/~~Qk1vZA==/com.android.adbkeyboard-aXQ5==/base.apk", 10124, "2.4-dev", 6,
        False,
    ),
    Package("com.android.systemui", "/system_ext/priv-app/SystemUI/SystemUI.apk", 10064, "13", 33, True),
    Package("com.android.inputmethod.latin", "/product/app/LatinIME/LatinIME.apk", 10081, "13", 33, True),
    Package("com.android.shell", "/system/priv-app/Shell/Shell.apk", 2000, "13", 33, True),
    Package("android", "/system/framework/framework-res.apk", 1000, "13", 33, True),
)  # fmt: skip


def packages(phone: Phone) -> dict[str, Package]:
    """By name, in no particular order, as on Android."""
    found = {package.name: package for package in _WITHOUT_APP[:2]}
    for index, app in enumerate(phone.apps.values()):
        found[app.package] = _package_of(app, index)
    found.update((package.name, package) for package in _WITHOUT_APP[2:])
    return found


def _package_of(app: App, index: int) -> Package:
    name = app.package.rsplit(".", 1)[-1].capitalize()
    path = f"/system/priv-app/{name}/{name}.apk"
    if not app.is_system:
        path = f"/data/app/~~U2ltMQ==/{app.package}-bm90ZXM==/base.apk"
    return Package(app.package, path, 10130 + index, *app.version, app.is_system)


async def run(phone: Phone, call: Call) -> Result:
    arguments = Arguments(call.argv[1:])
    verb = arguments.next() or ""
    handler = _VERBS.get(verb)
    if handler is None:
        return err(f"Unknown command: {verb}\n" if verb else "Package manager (package) commands:\n")
    try:
        return handler(phone, arguments)
    except JavaError as error:
        return thrown(verb, error)


def _list(phone: Phone, arguments: Arguments) -> Result:
    what = arguments.next()
    if what in ("package", "packages"):
        return _list_packages(phone, arguments)
    if what == "users":
        return out("Users:\n\tUserInfo{0:Owner:c13} running\n")
    return err(f"Error: unknown list type '{what}'\n")


def _list_packages(phone: Phone, arguments: Arguments) -> Result:
    flags, pattern = set(), ""
    while arguments:
        word = arguments.required()
        if word == "--user":
            arguments.next()
        elif word.startswith("-"):
            flags.add(word)
        else:
            pattern = word
    lines = []
    for package in packages(phone).values():
        is_hidden = ("-3" in flags and package.is_system) or ("-s" in flags and not package.is_system) or "-d" in flags
        if not is_hidden and pattern in package.name:
            lines.append(_package_line(package, flags))
    return out("".join(lines))


def _package_line(package: Package, flags: set[str]) -> str:
    text = f"package:{package.path}={package.name}" if "-f" in flags else f"package:{package.name}"
    if "--show-versioncode" in flags:
        text += f" versionCode:{package.version_code}"
    if "-i" in flags:
        text += "  installer=null"
    if "-U" in flags:
        text += f" uid:{package.uid}"
    return text + "\n"


def _path(phone: Phone, arguments: Arguments) -> Result:
    if arguments.peek() == "--user":
        arguments.next()
        arguments.next()
    package = packages(phone).get(arguments.required())
    return out(f"package:{package.path}\n") if package else Result(status=1)


def _clear(phone: Phone, arguments: Arguments) -> Result:
    if arguments.peek() == "--user":
        arguments.next()
        arguments.next()
    app = phone.apps.get(arguments.required())
    if app is None:
        return err("Failed\n", 1)
    phone.stop_app(app.package)
    app.granted.clear()
    app.clear(phone.random_for(app))
    phone.changed()
    return out("Success\n")


def _grant(phone: Phone, arguments: Arguments) -> Result:
    app, permission = _permission(phone, arguments)
    app.granted.add(permission)
    return Result()


def _revoke(phone: Phone, arguments: Arguments) -> Result:
    app, permission = _permission(phone, arguments)
    app.granted.discard(permission)
    return Result()


def _permission(phone: Phone, arguments: Arguments) -> tuple[App, str]:
    if arguments.peek() == "--user":
        arguments.next()
        arguments.next()
    name, permission = arguments.required(), arguments.required()
    app = phone.apps.get(name)
    if app is None:
        raise JavaError("java.lang.IllegalArgumentException", f"Unknown package: {name}")
    if permission not in app.permissions:
        message = f"Package {name} has not requested permission {permission}"
        raise JavaError("java.lang.SecurityException", message)
    return app, permission


_MATCH_LINE = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false"


def _resolve_activity(phone: Phone, arguments: Arguments) -> Result:
    flags, found = _resolved(phone, arguments)
    if not found:
        return out("No activity found\n")
    component = found[0] if len(found) == 1 else "android/com.android.internal.app.ResolverActivity"
    return out(f"{component}\n" if "--components" in flags else f"{_MATCH_LINE}\n{component}\n")


def _query_activities(phone: Phone, arguments: Arguments) -> Result:
    flags, found = _resolved(phone, arguments)
    if not found:
        return out("No activities found\n")
    if "--components" in flags:
        return out("".join(f"{component}\n" for component in found))
    text = f"{len(found)} activities found:\n"
    for index, component in enumerate(found):
        text += f"  Activity #{index}:\n    {_MATCH_LINE}\n    {component}\n"
    return out(text)


def _resolved(phone: Phone, arguments: Arguments) -> tuple[set[str], list[str]]:
    words = arguments.rest()
    flags = {word for word in words if word in ("--brief", "--components")}
    intent = parse_intent(Arguments([word for word in words if word not in flags]))
    is_launch = intent.action == MAIN and LAUNCHER in intent.categories
    if is_launch and HOME not in intent.categories:
        apps = [a for a in phone.apps.values() if not a.is_home and intent.package in ("", a.package)]
        return flags, [f"{app.package}/{app.main_activity}" for app in apps]
    target = resolve(phone, intent)
    return flags, [f"{target[0].package}/{target[1]}"] if target else []


_VERBS = {
    "list": _list,
    "path": _path,
    "clear": _clear,
    "grant": _grant,
    "revoke": _revoke,
    "resolve-activity": _resolve_activity,
    "query-activities": _query_activities,
}
COMMANDS = {"pm": run}
