"""`settings get | put | delete | list | reset` over the phone's tables, which the Settings app shows as well."""

from __future__ import annotations

from devices.simulated.android.answers import Arguments, JavaError, err, out, thrown
from devices.simulated.command import Call, Result
from devices.simulated.defaults import NAMESPACES
from devices.simulated.phone import Phone

MAX_VALUE_CHARS = 20_000


async def run(phone: Phone, call: Call) -> Result:
    arguments = Arguments(call.argv[1:])
    verb = ""
    try:
        if arguments.peek() == "--user":
            arguments.next()
            arguments.next()
        verb = arguments.required()
        if verb not in _VERBS:
            return err(f"Invalid command: {verb}\n")
        if arguments.peek() == "--user":
            arguments.next()
            arguments.next()
        namespace = arguments.required()
        if namespace.lower() not in NAMESPACES:
            return err(f"Invalid namespace '{namespace}'\n")
        return _VERBS[verb](phone, namespace.lower(), arguments)
    except JavaError as error:
        return thrown(verb or "settings", error)


def _get(phone: Phone, namespace: str, arguments: Arguments) -> Result:
    return out(phone.setting(namespace, arguments.required(), "null") + "\n")


def _put(phone: Phone, namespace: str, arguments: Arguments) -> Result:
    key, value = arguments.required(), arguments.required()
    if namespace == "system" and key not in phone.settings["system"]:
        raise JavaError(
            "java.lang.IllegalArgumentException",
            "You cannot keep your settings in the secure settings.",
            "com.android.providers.settings.SettingsProvider.warnOrThrowForUndesiredSecureSettingsMutationForTargetSdk",
        )
    if len(value) > MAX_VALUE_CHARS:
        raise JavaError("java.lang.IllegalStateException", f"You are adding too many system settings: {key}")
    phone.put_setting(namespace, key, value)
    return Result()


def _delete(phone: Phone, namespace: str, arguments: Arguments) -> Result:
    key = arguments.required()
    count = int(key in phone.settings[namespace])
    phone.put_setting(namespace, key, None)
    return out(f"Deleted {count} rows\n")


def _list(phone: Phone, namespace: str, arguments: Arguments) -> Result:
    return out("".join(f"{key}={value}\n" for key, value in sorted(phone.settings[namespace].items())))


_VERBS = {"get": _get, "put": _put, "delete": _delete, "list": _list}
COMMANDS = {"settings": run}
