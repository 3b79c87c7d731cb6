"""Before step 1: the screen on, the state reset, the task's own set-up done, the home screen in front."""

from __future__ import annotations

from devices.base import Device
from rollout.agent.control import Control
from rollout.tasks import SetupOperation, Task


def prepare(phone: Device, task: Task, control: Control) -> None:
    """Bring the phone to the task's start.

    Raises:
        ActionFailed: the phone refused a reset or a set-up operation (ENVIRONMENT).
        DeviceUnavailable: the phone is gone.
    """
    phone.wake()
    match task.reset:
        case "state":
            phone.reset_state()
        case "app_clear":
            for package in task.requires.packages:
                phone.clear_app(package)
        case "none":
            pass
    for operation in task.setup:
        _do(phone, operation, control)
    phone.press_key("HOME")


def _do(phone: Device, operation: SetupOperation, control: Control) -> None:
    match operation.type:
        case "settings_put":
            phone.settings_put(operation.namespace, operation.key, operation.value)
        case "stop_app":
            phone.stop_app(operation.app)
        case "clear_app":
            phone.clear_app(phone.resolve_app(operation.app))
        case "launch_app":
            phone.launch_app(operation.app)
        case "press_key":
            phone.press_key(operation.key)
        case "content_insert":
            phone.content_insert(operation.uri, operation.values)
        case "content_delete":
            phone.content_delete(operation.uri, operation.where)
        case "wait":
            control.wait(operation.seconds)
