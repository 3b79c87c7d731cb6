"""Intents on the command line: parsing, printing, and which activity answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from devices.simulated.android.answers import Arguments, JavaError, whole_number
from devices.simulated.phone import Phone
from devices.simulated.ui import App

MAIN = "android.intent.action.MAIN"
LAUNCHER = "android.intent.category.LAUNCHER"
HOME = "android.intent.category.HOME"
NEW_TASK = 0x10000000
_FLAG_OPTIONS = {
    "--activity-clear-task": 0x8000,
    "--activity-clear-top": 0x04000000,
    "--activity-no-history": 0x40000000,
}
_WITH_VALUE = ("--user", "--display", "--windowingMode", "--receiver-permission", "--allow-background-activity-starts")


@dataclass(slots=True)
class Intent:
    action: str = ""
    categories: list[str] = field(default_factory=list)
    data: str = ""
    mime_type: str = ""
    flags: int = 0
    package: str = ""
    component: str = ""
    extras: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    """Words of the command itself: -W, -S, …"""

    def __str__(self) -> str:
        parts = []
        if self.action:
            parts.append(f"act={self.action}")
        if self.categories:
            parts.append(f"cat=[{','.join(self.categories)}]")
        if self.data:
            parts.append(f"dat={self.data}")
        if self.mime_type:
            parts.append(f"typ={self.mime_type}")
        if self.flags:
            parts.append(f"flg=0x{self.flags:x}")
        if self.package:
            parts.append(f"pkg={self.package}")
        if self.component:
            parts.append(f"cmp={short_component(self.component)}")
        if self.extras:
            parts.append("(has extras)")
        return "Intent { " + " ".join(parts) + " }"


def parse_intent(arguments: Arguments) -> Intent:
    """Raises JavaError for a missing value or an unknown option."""
    intent = Intent()
    while arguments:
        word = arguments.required()
        if word in ("-W", "-S", "-D", "-N", "-R", "-P"):
            intent.options.append(word)
        elif word == "-f":
            intent.flags |= _flags(arguments.required())
        elif word in _FLAG_OPTIONS:
            intent.flags |= _FLAG_OPTIONS[word]
        elif word in _WITH_VALUE:
            arguments.required()
        elif word in ("--esn",):
            intent.extras[arguments.required()] = ""
        elif word in ("--es", "-e", "--ez", "--ei", "--el", "--ef", "--eu", "--ecn", "--eia", "--esa", "--ela"):
            key = arguments.required()
            intent.extras[key] = arguments.required()
        elif word in _TEXT_OPTIONS:
            _TEXT_OPTIONS[word](intent, arguments.required())
        elif word.startswith("-"):
            raise JavaError("java.lang.IllegalArgumentException", f"Unknown option: {word}")
        else:
            _positional(intent, word)
    return intent


def _flags(text: str) -> int:
    return int(text, 16) if text.lower().startswith("0x") and text[2:].isalnum() else whole_number(text)


def _set_action(intent: Intent, value: str) -> None:
    intent.action = value


def _set_data(intent: Intent, value: str) -> None:
    intent.data = value


def _set_type(intent: Intent, value: str) -> None:
    intent.mime_type = value


def _set_package(intent: Intent, value: str) -> None:
    intent.package = value


def _set_component(intent: Intent, value: str) -> None:
    if "/" not in value:
        raise JavaError("java.lang.IllegalArgumentException", f"Bad component name: {value}")
    intent.component = value


def _add_category(intent: Intent, value: str) -> None:
    intent.categories.append(value)


_TEXT_OPTIONS = {
    "-a": _set_action, "-d": _set_data, "-t": _set_type, "-c": _add_category, "-p": _set_package, "-n": _set_component,
}  # fmt: skip


def _positional(intent: Intent, word: str) -> None:
    """What is left over is a URI, a component or a package, which is how unquoted text ends up as a package."""
    if ":" in word:
        intent.data = word
    elif "/" in word:
        intent.component = word
    else:
        intent.package = word


def short_component(component: str) -> str:
    """com.x/com.x.Main as com.x/.Main"""
    package, _, name = component.partition("/")
    return f"{package}/{name[len(package) :]}" if name.startswith(package + ".") else component


def long_component(component: str) -> str:
    package, _, name = component.partition("/")
    return f"{package}/{package}{name}" if name.startswith(".") else component


def resolve(phone: Phone, intent: Intent) -> tuple[App, str] | None:
    """App and activity (short form) for an intent without a component."""
    if HOME in intent.categories:
        return phone.home_app, phone.home_app.main_activity
    for app in phone.apps.values():
        if intent.package and app.package != intent.package:
            continue
        if intent.action in app.actions:
            return app, app.actions[intent.action]
        is_main = intent.action == MAIN or (intent.package and not intent.action)
        if is_main and intent.package and (not app.is_home):
            return app, app.main_activity
    return None
