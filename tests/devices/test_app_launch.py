"""Apps start by activity; text and the app in front decide, exit codes do not."""

import pytest
from scripted_shell import ScriptedShell, says

from devices import launch
from devices.base import ScreenState
from devices.errors import ActionFailed, UnknownApp
from devices.launch import Launcher
from devices.saved import SavedState

PACKAGE = "com.android.settings"
COMPONENT = f"{PACKAGE}/.Settings"


class AppPhone(ScriptedShell):
    """A phone with one app, which comes to the front by the command that starts with `opens_by`."""

    def __init__(self, opens_by: str) -> None:
        super().__init__(
            {
                "pm list packages": says(f"package:{PACKAGE}\npackage:com.android.launcher3\n"),
                "cmd package resolve-activity": says(f"priority=0 match=0x108000\n{COMPONENT}\n"),
                "am start": says(f"Starting: Intent {{ cmp={COMPONENT} }}\n"),
                "settings get system": says("0\n"),
            }
        )
        self.opens_by = opens_by

    def state(self) -> ScreenState:
        return ScreenState(package=PACKAGE if self.sent(self.opens_by) else "com.android.launcher3")


@pytest.fixture(autouse=True)
def _short_wait(monkeypatch):
    monkeypatch.setattr(launch, "FOREGROUND_WAIT_S", 0.05)
    monkeypatch.setattr(launch, "FAILED_WAIT_S", 0.05)


def launcher_of(phone: AppPhone, tmp_path) -> Launcher:
    return Launcher(phone, phone.state, SavedState(tmp_path, "HW1"))


def test_an_app_is_started_by_its_launcher_activity(tmp_path):
    phone = AppPhone("am start")
    (command,) = launcher_of(phone, tmp_path).launch("设置")
    assert command.endswith(f"-n {COMPONENT}") and phone.sent("monkey") == []


def test_an_error_text_with_exit_code_0_is_a_failure(tmp_path):
    phone = AppPhone("nothing")
    phone.answers["am start"] = says(stderr=f"Error type 3\nError: Activity class {{{COMPONENT}}} does not exist.\n")
    with pytest.raises(ActionFailed, match="Error type 3"):
        launcher_of(phone, tmp_path).launch(PACKAGE)


def test_an_error_text_is_overruled_by_the_app_in_front(tmp_path):
    phone = AppPhone("am start")
    phone.answers["am start"] = says(stderr="java.lang.SecurityException: Permission Denial", code=255)
    assert len(launcher_of(phone, tmp_path).launch(PACKAGE)) == 1


def test_a_warning_that_the_app_was_there_already_is_fine(tmp_path):
    phone = AppPhone("am start")
    phone.answers["am start"] = says(
        stderr="Warning: Activity not started, its current task has been brought to the front\n"
    )
    launcher_of(phone, tmp_path).launch(PACKAGE)
    assert phone.sent("monkey") == []


def test_an_app_behind_a_dialog_counts_as_started(tmp_path):
    phone = AppPhone("nothing")
    launcher_of(phone, tmp_path).launch(PACKAGE)
    assert phone.sent("monkey") == []


def test_monkeys_exit_code_is_no_verdict(tmp_path):
    phone = AppPhone("monkey")
    phone.answers["cmd package resolve-activity"] = says("No activity found\n")
    phone.answers["monkey"] = says("Events injected: 1\n", code=251)
    launcher_of(phone, tmp_path).launch(PACKAGE)
    assert phone.state().package == PACKAGE


def test_the_rotation_setting_is_the_same_after_monkey(tmp_path):
    phone = AppPhone("monkey")
    phone.answers["cmd package resolve-activity"] = says("No activity found\n")
    launcher_of(phone, tmp_path).launch(PACKAGE)
    assert phone.commands.index("settings put system accelerometer_rotation 0") > phone.commands.index(
        phone.sent("monkey")[0]
    )


def test_a_rotation_setting_left_by_a_crash_is_restored_at_the_next_start(tmp_path):
    SavedState(tmp_path, "HW1").put("accelerometer_rotation", "0")
    phone = AppPhone("nothing")
    launcher_of(phone, tmp_path).restore_rotation()
    launcher_of(phone, tmp_path).restore_rotation()
    assert phone.commands == ["settings put system accelerometer_rotation 0"]


def test_a_component_of_another_package_is_not_started(tmp_path):
    phone = AppPhone("monkey")
    phone.answers["cmd package resolve-activity"] = says("android/com.android.internal.app.ResolverActivity\n")
    launcher_of(phone, tmp_path).launch(PACKAGE)
    assert phone.sent("am start") == []


def test_an_app_installed_in_the_meantime_is_found(tmp_path):
    phone = AppPhone("am start")
    launcher = launcher_of(phone, tmp_path)
    launcher.package("Settings")
    phone.answers["pm list packages"] = says("package:com.tencent.mm\n")
    assert launcher.package("微信") == "com.tencent.mm"


def test_an_unknown_name_starts_nothing(tmp_path):
    phone = AppPhone("am start")
    with pytest.raises(UnknownApp, match="Settings"):
        launcher_of(phone, tmp_path).launch("Setings; reboot")
    assert phone.sent("am") == []


def test_a_refused_clear_is_an_error(tmp_path):
    phone = AppPhone("am start")
    phone.answers["pm clear"] = says(stderr="Failed\n", code=1)
    with pytest.raises(ActionFailed, match="Failed"):
        launcher_of(phone, tmp_path).clear(PACKAGE)
