"""The user's keyboard is saved before it is replaced, and put back after success, failure and crash."""

from pathlib import Path

import pytest
from scripted_shell import ScriptedShell, says

from devices import keyboard as keyboard_module
from devices.commands import ShellAnswer
from devices.keyboard import HELPER_ID, Keyboard, KeyboardTrouble
from devices.saved import SavedState

INPUTS = Path(__file__).parents[1] / "cases" / "inputs"
OWN = "com.example.pinyin/.Ime"
GET = "settings get secure default_input_method"


class KeyboardPhone(ScriptedShell):
    """A phone with an input method setting."""

    def __init__(self, current: str = OWN, *, installed: bool = True, can_set: bool = True) -> None:
        super().__init__(
            {
                GET: lambda _: says(self.current + "\n"),
                "ime set": self._set,
                "pm path": says("package:/data/app/base.apk\n") if installed else says(code=1),
                "dumpsys": lambda _: says(f"  mCurId={self.current} mHaveConnection=true\n"),
            }
        )
        self.current = current
        self.can_set = can_set

    def _set(self, command: str) -> ShellAnswer:
        if self.can_set:
            self.current = command.split()[-1]
        return says("Input method ID selected for user #0\n")


def keyboard_of(phone: ScriptedShell, tmp_path: Path) -> Keyboard:
    return Keyboard(phone, SavedState(tmp_path, "HW1"))


def test_the_users_keyboard_comes_back(tmp_path):
    phone = KeyboardPhone()
    keyboard = keyboard_of(phone, tmp_path)
    keyboard.use_helper()
    assert phone.current == HELPER_ID
    keyboard.restore()
    assert phone.current == OWN
    assert list(tmp_path.iterdir()) == []


def test_it_is_on_disk_before_the_switch(tmp_path):
    phone = KeyboardPhone()
    saved_at_switch = []
    original = phone.answers["ime set"]
    phone.answers["ime set"] = lambda command: (
        saved_at_switch.append(SavedState(tmp_path, "HW1").get("keyboard")) or (original(command))
    )
    keyboard_of(phone, tmp_path).use_helper()
    assert saved_at_switch == [OWN]


def test_after_a_crash_the_next_start_restores_it(tmp_path):
    phone = KeyboardPhone()
    keyboard_of(phone, tmp_path).use_helper()
    keyboard_of(phone, tmp_path).restore()
    assert phone.current == OWN


def test_consecutive_texts_switch_once(tmp_path):
    phone = KeyboardPhone()
    keyboard = keyboard_of(phone, tmp_path)
    keyboard.use_helper()
    keyboard.use_helper()
    assert len(phone.sent("ime set")) == 1


def test_a_keyboard_changed_by_an_app_in_between_is_selected_again(tmp_path):
    phone = KeyboardPhone()
    keyboard = keyboard_of(phone, tmp_path)
    keyboard.use_helper()
    phone.current = OWN
    keyboard.use_helper()
    assert phone.current == HELPER_ID


@pytest.mark.parametrize(
    "answer",
    [
        says(stderr="error: device offline\n", code=1),
        says("error: device offline\n"),
        says(""),
        says((INPUTS / "ime_list_forbidden.txt").read_text()),
    ],
)
def test_an_error_text_is_never_saved_as_the_users_keyboard(answer, tmp_path):
    phone = KeyboardPhone()
    phone.answers[GET] = answer
    with pytest.raises(KeyboardTrouble, match="cannot tell"):
        keyboard_of(phone, tmp_path).use_helper()
    assert list(tmp_path.iterdir()) == [] and phone.sent("ime") == []


def test_a_phone_without_the_helper_is_left_alone(tmp_path):
    phone = KeyboardPhone(installed=False)
    with pytest.raises(KeyboardTrouble, match="not installed"):
        keyboard_of(phone, tmp_path).use_helper()
    assert phone.sent("ime") == []


def test_a_set_that_says_selected_but_is_not_is_noticed(tmp_path):
    with pytest.raises(KeyboardTrouble, match="does not select"):
        keyboard_of(KeyboardPhone(can_set=False), tmp_path).use_helper()


def test_the_package_list_is_believed_where_ime_list_is_forbidden(tmp_path):
    phone = KeyboardPhone()
    phone.answers["ime list"] = says(stderr=(INPUTS / "ime_list_forbidden.txt").read_text(), code=255)
    keyboard_of(phone, tmp_path).use_helper()
    assert phone.current == HELPER_ID


def test_a_refusal_of_the_maker_names_the_switch_to_look_for(tmp_path):
    phone = KeyboardPhone(can_set=False)
    refusal = (INPUTS / "ime_list_forbidden.txt").read_text()
    phone.answers["ime set"] = says(stderr=refusal, code=255)
    with pytest.raises(KeyboardTrouble, match="Security settings"):
        keyboard_of(phone, tmp_path).use_helper()


def test_a_helper_that_the_user_chose_stays(tmp_path):
    phone = KeyboardPhone(current=HELPER_ID)
    keyboard = keyboard_of(phone, tmp_path)
    keyboard.use_helper()
    keyboard.restore()
    assert phone.current == HELPER_ID and phone.sent("ime") == []


def test_a_helper_that_is_never_bound_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(keyboard_module, "BIND_TIMEOUT_S", 0.2)
    phone = KeyboardPhone()
    phone.answers["dumpsys"] = says("  mHaveConnection=false")
    with pytest.raises(KeyboardTrouble, match="not bound"):
        keyboard_of(phone, tmp_path).use_helper()


def test_a_phone_without_any_keyboard_gets_its_own_choice_back(tmp_path):
    phone = KeyboardPhone(current="null")
    keyboard = keyboard_of(phone, tmp_path)
    keyboard.use_helper()
    keyboard.restore()
    assert phone.commands[-1] == "ime reset"


def test_state_lives_in_folders_with_blanks_and_quotes(tmp_path):
    folder = tmp_path / "night 1" / "it's here; $(x)"
    phone = KeyboardPhone()
    keyboard = keyboard_of(phone, folder)
    keyboard.use_helper()
    assert [path.name for path in folder.iterdir()] == ["restore-HW1.json"]


def test_a_hostile_hardware_serial_stays_inside_the_folder(tmp_path):
    SavedState(tmp_path, "../../etc/x").put("keyboard", OWN)
    assert [path.parent for path in tmp_path.rglob("*.json")] == [tmp_path]


def test_a_torn_file_counts_as_nothing_to_restore(tmp_path):
    (tmp_path / "restore-HW1.json").write_text('{"keyboard": "com.ex')
    phone = KeyboardPhone()
    keyboard_of(phone, tmp_path).restore()
    assert phone.commands == []
