"""`getprop` and `setprop`. The boot id is a file, see `phone.BOOT_ID_FILE`."""

from __future__ import annotations

from devices.simulated.android.answers import err, out
from devices.simulated.command import Call, Result
from devices.simulated.phone import Phone


async def getprop(phone: Phone, call: Call) -> Result:
    words = call.argv[1:]
    if not words:
        return out("".join(f"[{key}]: [{value}]\n" for key, value in sorted(phone.props.items())))
    return out(phone.props.get(words[0], words[1] if len(words) > 1 else "") + "\n")


async def setprop(phone: Phone, call: Call) -> Result:
    if len(call.argv) != 3:
        return err('setprop: Need 2 arguments (see "setprop --help")\n', 1)
    name, value = call.argv[1:]
    if name.startswith("ro.") or not name.startswith(("debug.", "log.", "persist.log.")):
        return err(f"Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.\n", 1)
    phone.props[name] = value
    return Result()


COMMANDS = {"getprop": getprop, "setprop": setprop}
