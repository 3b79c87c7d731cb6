"""`am`: start, force-stop, broadcast (ADBKeyboard listens), and `monkey` as people use it to launch an app."""

from __future__ import annotations

import base64
import binascii

from devices.simulated import keys
from devices.simulated.android.answers import Arguments, JavaError, err, out, thrown
from devices.simulated.android.intents import (
    NEW_TASK,
    Intent,
    long_component,
    parse_intent,
    resolve,
    short_component,
)
from devices.simulated.command import Call, Result
from devices.simulated.keyboard import ADB_IME
from devices.simulated.phone import Phone
from devices.simulated.ui import App

_ADB_KEYBOARD = "com.android.adbkeyboard"
_START_MS = {"COLD": 412, "WARM": 148, "HOT": 61}


async def run(phone: Phone, call: Call) -> Result:
    arguments = Arguments(call.argv[1:])
    verb = arguments.next() or ""
    handler = _VERBS.get(verb)
    if handler is None:
        return err(f"Unknown command: {verb}\n" if verb else "Activity manager (activity) commands:\n")
    try:
        return handler(phone, arguments)
    except JavaError as error:
        return thrown(verb, error)


# -- start -----------------------------------------------------------------------------------------------------------


def _start(phone: Phone, arguments: Arguments) -> Result:
    intent = parse_intent(arguments)
    target = _target(phone, intent)
    text = ""
    if "-S" in intent.options:
        if target is None:
            return err(f"Error: Intent does not match any activities: {intent}\n", 1)
        text = f"Stopping: {target[0].package}\n"
        phone.stop_app(target[0].package)
    text += f"Starting: {intent}\n"
    intent.flags |= NEW_TASK
    is_waiting = "-W" in intent.options
    if target is None:
        return _spoken(text, _unresolved(intent), "", is_waiting=is_waiting)
    app, activity = target
    if activity not in app.pages:
        if activity in app.private_activities:
            raise JavaError(
                "java.lang.SecurityException",
                f"Permission Denial: starting {intent} from null (pid=1234, uid=2000) not exported from uid 10123",
                "com.android.server.wm.ActivityTaskSupervisor.checkStartAnyActivityPermission",
            )
        return _spoken(text, _unresolved(intent), "", is_waiting=is_waiting)
    return _started(phone, app, activity, text, is_waiting=is_waiting)


def _started(phone: Phone, app: App, activity: str, text: str, *, is_waiting: bool) -> Result:
    state = "COLD" if phone.task_of(app.package) is None else "WARM"
    outcome = phone.start_app(app, activity)
    warning = {
        "started": "",
        "delivered": "Warning: Activity not started, intent has been delivered to currently running top-most instance.",
        "front": "Warning: Activity not started, its current task has been brought to the front",
    }[outcome]
    state = {"started": state, "front": "HOT", "delivered": "UNKNOWN (0)"}[outcome]
    took = _START_MS.get(state)
    report = f"Status: ok\nLaunchState: {state}\nActivity: {app.package}/{phone.page.activity}\n"
    report += f"TotalTime: {took}\n" if took else ""
    report += f"WaitTime: {(took or 0) + 4}\nComplete\n"
    return _spoken(text, f"{warning}\n" if warning else "", report, is_waiting=is_waiting)


def _spoken(text: str, remark: str, report: str, *, is_waiting: bool) -> Result:
    """With -W remarks and the report come on stdout, else remarks alone and on stderr. The status is 0 either way."""
    if is_waiting:
        return out(text + remark + report)
    return Result(stdout=text.encode(errors="replace"), stderr=remark.encode(errors="replace"))


def _target(phone: Phone, intent: Intent) -> tuple[App, str] | None:
    if not intent.component:
        return resolve(phone, intent)
    package, _, name = short_component(intent.component).partition("/")
    app = phone.apps.get(package)
    return None if app is None else (app, name)


def _unresolved(intent: Intent) -> str:
    if intent.component:
        return f"Error type 3\nError: Activity class {{{long_component(intent.component)}}} does not exist.\n"
    return f"Error: Activity not started, unable to resolve {intent}\n"


def _force_stop(phone: Phone, arguments: Arguments) -> Result:
    if arguments.peek() == "--user":
        arguments.next()
        arguments.next()
    phone.stop_app(arguments.required())
    return Result()


def _nothing(phone: Phone, arguments: Arguments) -> Result:
    return Result()


def _user(phone: Phone, arguments: Arguments) -> Result:
    return out("0\n")


# -- broadcast -------------------------------------------------------------------------------------------------------


def _broadcast(phone: Phone, arguments: Arguments) -> Result:
    intent = parse_intent(arguments)
    intent.flags |= 0x400000
    text = f"Broadcasting: {intent}\n"
    if phone.input_method == ADB_IME and intent.package in ("", _ADB_KEYBOARD):
        _adb_keyboard(phone, intent)
    # The same answer whether or not anyone has listened.
    return out(text + "Broadcast completed: result=0\n")


def _adb_keyboard(phone: Phone, intent: Intent) -> None:
    """What ADBKeyboard does with a broadcast while it is the keyboard and a field has the focus."""
    page, extras = phone.page, intent.extras
    field = page.focused_field
    if field is None or not phone.has_input:
        return
    action = intent.action
    phone.toast_text = ""
    if action == "ADB_INPUT_TEXT" and "msg" in extras:
        keys.insert(phone, extras["msg"])
    elif action == "ADB_INPUT_B64" and "msg" in extras:
        keys.insert(phone, _decoded(extras["msg"]))
    elif action == "ADB_INPUT_CHARS" and "chars" in extras:
        codes = [int(code[:9]) for code in extras["chars"].split(",") if code.strip().isdecimal()]
        keys.insert(phone, "".join(chr(code) for code in codes if code < 0xD800 or 0xDFFF < code < 0x110000))
    elif action == "ADB_CLEAR_TEXT":
        field.clear()
        page.must_reveal_focus = True
    elif action == "ADB_INPUT_CODE" and extras.get("code", "").isdecimal():
        keys.press(phone, keys.keycode(extras["code"]))
    elif action == "ADB_EDITOR_CODE" or action in _EDITOR_ACTIONS:
        _editor_action(phone)
    phone.changed()


_EDITOR_ACTIONS = ("ADB_ACTION_SEARCH", "ADB_ACTION_GO", "ADB_ACTION_DONE", "ADB_ACTION_NEXT", "ADB_ACTION_SEND")


def _editor_action(phone: Phone) -> None:
    field = phone.page.focused_field
    if field is not None and field.on_enter is not None:
        field.on_enter()
    else:
        phone.page.is_keyboard_hidden = True


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode("utf-8", errors="replace")
    except (binascii.Error, ValueError):
        return ""


_VERBS = {
    "start": _start,
    "start-activity": _start,
    "force-stop": _force_stop,
    "stop-app": _force_stop,
    "kill": _nothing,
    "kill-all": _nothing,
    "broadcast": _broadcast,
    "get-current-user": _user,
}


# -- monkey ----------------------------------------------------------------------------------------------------------


async def monkey(phone: Phone, call: Call) -> Result:
    """Launching by `monkey -p PACKAGE … 1`. As on Android, auto-rotation is on afterwards."""
    words = call.argv[1:]
    echo = "".join(f"  bash arg: {word}\n" for word in words)
    log = f"args: [{', '.join(words)}]\n" + "".join(f' arg: "{word}"\n' for word in words)
    packages = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "-p"]
    if not words or not words[-1].isdecimal():
        return _logged(echo, log, 255)
    app = next((phone.apps[p] for p in packages if p in phone.apps and not phone.apps[p].is_home), None)
    if app is None:
        text = "** No activities found to run, monkey aborted.\n"
        return _logged(echo + text, log, 252)
    phone.start_app(app)
    phone.put_setting("system", "user_rotation", "0")
    phone.put_setting("system", "accelerometer_rotation", "1")
    text = f"Events injected: {words[-1]}\n"
    text += "## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)\n"
    return _logged(echo + text, log)


def _logged(text: str, log: str, status: int = 0) -> Result:
    return Result(stdout=text.encode(errors="replace"), stderr=log.encode(errors="replace"), status=status)


COMMANDS = {"am": run, "monkey": monkey}
