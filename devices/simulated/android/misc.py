"""`cmd`, `svc`, `df`, `locksettings`: small commands of several services."""

from __future__ import annotations

from dataclasses import replace

from devices.simulated.android import activity, ime, input, packages, screen, settings
from devices.simulated.android.answers import err, out
from devices.simulated.command import Call, Handler, Result
from devices.simulated.phone import Phone

_NIGHT = {"yes": "2", "no": "1", "auto": "0"}
_STAY_ON = {"true": "15", "false": "0", "ac": "1", "usb": "2", "wireless": "4", "dock": "8"}


async def cmd(phone: Phone, call: Call) -> Result:
    """`cmd SERVICE …`: most services are the commands of other names."""
    words = [word for word in call.argv[1:] if word != "-w"]
    if not words:
        return err("cmd: No service specified; use -l to list all services\n", 20)
    handler = _SERVICES.get(words[0])
    if handler is None:
        return err(f"cmd: Can't find service: {words[0]}\n", 20)
    return await handler(phone, replace(call, argv=words))


async def statusbar(phone: Phone, call: Call) -> Result:
    verb = call.argv[1] if len(call.argv) > 1 else ""
    if verb in ("expand-notifications", "expand-settings"):
        phone.is_shade_open = phone.is_awake and not phone.lock.is_showing
    elif verb == "collapse":
        phone.is_shade_open = False
    else:
        return out(f"Unknown command: {verb}\n" if verb else "Status bar commands:\n", 255)
    phone.changed()
    return Result()


async def uimode(phone: Phone, call: Call) -> Result:
    words = call.argv[1:]
    if words[:1] != ["night"]:
        return out(f"Unknown command: {words[0]}\n" if words else "UiModeManager service (uimode) commands:\n", 255)
    if len(words) > 1:
        if words[1] not in _NIGHT:
            return err("Error: mode must be 'yes', 'no', or 'auto', or 'custom_schedule', or 'custom_bedtime'\n")
        phone.put_setting("secure", "ui_night_mode", _NIGHT[words[1]])
    value = phone.setting("secure", "ui_night_mode", "1")
    return out(f"Night mode: {next((name for name, v in _NIGHT.items() if v == value), 'no')}\n")


async def connectivity(phone: Phone, call: Call) -> Result:
    words = call.argv[1:]
    if words[:1] != ["airplane-mode"]:
        return err("Connectivity service commands:\n")
    if len(words) == 1:
        return out("enabled\n" if phone.setting("global", "airplane_mode_on") == "1" else "disabled\n")
    if words[1] not in ("enable", "disable"):
        return err("Unknown argument\n")
    phone.put_setting("global", "airplane_mode_on", "1" if words[1] == "enable" else "0")
    return Result()


async def svc(phone: Phone, call: Call) -> Result:
    service, verb, *rest = [*call.argv[1:], "", ""]
    if service in ("wifi", "data", "bluetooth") and verb in ("enable", "disable"):
        key = {"wifi": "wifi_on", "data": "mobile_data", "bluetooth": "bluetooth_on"}[service]
        phone.put_setting("global", key, "1" if verb == "enable" else "0")
    elif service == "power" and verb == "stayon" and rest and rest[0] in _STAY_ON:
        phone.put_setting("global", "stay_on_while_plugged_in", _STAY_ON[rest[0]])
        phone.wake()
    else:
        return err("Available commands:\n    help     Show information about the subcommands\n", 0)
    return Result()


async def df(phone: Phone, call: Call) -> Result:
    """The one file system that people ask for, in 1K blocks or with -h."""
    if any(word.startswith("-") and "h" in word for word in call.argv[1:]):
        return out("Filesystem      Size Used Avail Use% Mounted on\n/dev/block/dm-8 109G  34G   75G  32% /data\n")
    line = "/dev/block/dm-8 114294784 35651584 78643200  32% /data\n"
    return out("Filesystem      1K-blocks     Used Available Use% Mounted on\n" + line)


async def locksettings(phone: Phone, call: Call) -> Result:
    """set-pin PIN, clear, set-disabled true|false, get-disabled; --old PIN where a PIN is set."""
    words, old = list(call.argv[1:]), ""
    if "--old" in words:
        at = words.index("--old")
        old = words[at + 1] if at + 1 < len(words) else ""
        del words[at : at + 2]
    verb, value = [*words, "", ""][:2]
    lock = phone.lock
    if verb == "get-disabled":
        return out("false\n" if lock.is_enabled else "true\n")
    if old != lock.pin:
        return out(f"Old password '{old}' didn't match\n", 255)
    if verb == "set-pin":
        if len(value) < 4 or not (value.isascii() and value.isdecimal()):
            return out("Error while executing command: set-pin\n", 255)
        lock.pin, lock.is_enabled = value, True
        said = f"Pin set to '{value}'\n"
    elif verb == "clear":
        lock.pin, said = "", "Lock credential cleared\n"
    elif verb == "set-disabled":
        lock.is_enabled = value != "true"
        said = f"Lock screen disabled set to {value}\n"
    else:
        return err(f"Unknown command: {verb}\n")
    phone.changed()
    return out(said)


_SERVICES: dict[str, Handler] = {
    "activity": activity.run,
    "connectivity": connectivity,
    "input": input.run,
    "input_method": ime.run,
    "lock_settings": locksettings,
    "package": packages.run,
    "settings": settings.run,
    "statusbar": statusbar,
    "uimode": uimode,
    "window": screen.wm,
}
COMMANDS: dict[str, Handler] = {"cmd": cmd, "svc": svc, "df": df, "locksettings": locksettings}
