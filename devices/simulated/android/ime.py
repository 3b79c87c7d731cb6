"""`ime`: list, enable, disable, set, reset. A keyboard that is set is at work at once."""

from __future__ import annotations

from devices.simulated.android.answers import err, out
from devices.simulated.command import Call, Result
from devices.simulated.defaults import INPUT_METHODS
from devices.simulated.keyboard import LATIN_IME
from devices.simulated.phone import Phone


def enabled(phone: Phone) -> list[str]:
    value = phone.setting("secure", "enabled_input_methods")
    # A subtype may follow an id after a semicolon.
    return [entry.split(";", 1)[0] for entry in value.split(":") if entry]


def _set_enabled(phone: Phone, ids: list[str]) -> None:
    phone.put_setting("secure", "enabled_input_methods", ":".join(ids))


async def run(phone: Phone, call: Call) -> Result:
    words = [word for word in call.argv[1:] if word not in ("--user", "-u", "0", "current")]
    verb, rest = (words[0], words[1:]) if words else ("", [])
    if verb == "list":
        return _list(phone, rest)
    if verb == "reset":
        return _reset(phone)
    if verb not in _VERBS:
        return out(f"Unknown command: {verb}\n" if verb else "ime <command>:\n", 255)
    return _VERBS[verb](phone, rest[0] if rest else "")


def _list(phone: Phone, words: list[str]) -> Result:
    flags = "".join(words)
    ids = INPUT_METHODS if "a" in flags else [i for i in INPUT_METHODS if i in enabled(phone)]
    if "s" in flags:
        return out("".join(f"{i}\n" for i in ids))
    return out("".join(f"{i}:\n  mId={i} mSettingsActivityName=null mIsDefaultResId=0x0\n" for i in ids))


def _enable(phone: Phone, name: str) -> Result:
    if name not in INPUT_METHODS:
        return err(f"Unknown input method {name} cannot be enabled for user #0\n")
    ids = enabled(phone)
    if name in ids:
        return out(f"Input method {name}: already enabled for user #0\n")
    _set_enabled(phone, [*ids, name])
    return out(f"Input method {name}: now enabled for user #0\n")


def _disable(phone: Phone, name: str) -> Result:
    if name not in INPUT_METHODS:
        return err(f"Unknown input method {name} cannot be disabled for user #0\n")
    ids = enabled(phone)
    if name not in ids:
        return out(f"Input method {name}: already disabled for user #0\n")
    _set_enabled(phone, [i for i in ids if i != name])
    if phone.input_method == name:
        phone.put_setting("secure", "default_input_method", LATIN_IME)
    return out(f"Input method {name}: now disabled for user #0\n")


def _select(phone: Phone, name: str) -> Result:
    if name not in INPUT_METHODS or name not in enabled(phone):
        return err(f"Unknown input method {name} cannot be selected for user #0\n")
    phone.put_setting("secure", "default_input_method", name)
    return out(f"Input method {name} selected for user #0\n")


def _reset(phone: Phone) -> Result:
    _set_enabled(phone, [LATIN_IME])
    phone.put_setting("secure", "default_input_method", LATIN_IME)
    return out(f"Reset current and enabled IMEs for user #0\n  Selected: {LATIN_IME}\n   Enabled: {LATIN_IME}\n")


_VERBS = {"enable": _enable, "disable": _disable, "set": _select}
COMMANDS = {"ime": run}
