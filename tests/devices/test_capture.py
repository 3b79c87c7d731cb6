"""Pictures are whole or an error: never made up, retaken a bounded number of times."""

import io
from pathlib import Path

import pytest
from fake_wire import FakeServer, Peer, Script, phone_says, shell_answer
from PIL import Image

from devices import capture
from devices.adb_link import AdbLink, adb_client
from devices.capture import Capture
from devices.errors import DeviceTimeout, DeviceUnavailable, ScreenshotError
from devices.logs import NoLog

INPUTS = Path(__file__).parents[1] / "cases" / "inputs"
WARNED = (INPUTS / "screencap_with_warning.bin").read_bytes()
CLEAN = WARNED[WARNED.index(b"\x89PNG") :]
DISPLAYS = (INPUTS / "display_ids.txt").read_bytes()
VIEWPORTS = (
    b"  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:%d'}]\n"
)
STATUS = b"  mCurrentFocus=Window{1 u0 com.example.notes/.Main}\n__END\n"


class Warnings(NoLog):
    """Keeps what was warned of."""

    def __init__(self) -> None:
        self.events: list[dict[str, object]] = []

    def warning(self, event: str, **fields: object) -> None:
        self.events.append({"event": event, **fields})


def prints(data: bytes, commands: list[str] | None = None) -> Script:
    """The answer to one `exec:` command."""

    def answer(peer: Peer, service: str) -> None:
        if commands is not None:
            commands.append(service.removeprefix("exec:"))
        peer.connection.sendall(data)

    return phone_says("exec:", answer)


def capture_on(server: FakeServer, sdk: int = 33, log: NoLog | None = None) -> Capture:
    return Capture(AdbLink("phone", adb_client(server.port)), sdk, log or NoLog())


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(capture, "RETAKE_WAITS_S", (0.01, 0.01))


def test_state_and_picture_come_in_one_round_trip():
    with FakeServer(prints(STATUS + CLEAN)) as server:
        look = capture_on(server).look(5)
        assert server.connections == 1
    assert look.state.package == "com.example.notes"
    assert (look.screenshot.png, look.screenshot.width_px, look.screenshot.height_px) == (CLEAN, 90, 160)


def test_an_empty_capture_is_retaken_and_then_said_with_serial_and_size():
    with FakeServer(prints(STATUS)) as server:
        with pytest.raises(ScreenshotError, match="phone: 0 bytes"):
            capture_on(server, sdk=34).look(5)
        assert server.connections == 3


def test_before_android_14_an_empty_capture_may_be_a_protected_screen():
    with FakeServer(prints(STATUS)) as server, pytest.raises(ScreenshotError, match="protected"):
        capture_on(server, sdk=33).look(5)


def test_a_retake_that_succeeds_is_the_picture():
    with FakeServer(prints(STATUS), prints(STATUS + CLEAN[:-30]), prints(STATUS + CLEAN)) as server:
        assert capture_on(server).look(5).screenshot.png == CLEAN


def test_a_cut_picture_is_never_handed_on():
    with FakeServer(prints(STATUS + CLEAN[:-1])) as server, pytest.raises(ScreenshotError, match="cut short"):
        capture_on(server).look(5)


def test_the_words_of_the_phone_are_in_the_error():
    said = b"Failed to take screenshot. Status: -1\n"
    with FakeServer(prints(STATUS + said)) as server, pytest.raises(ScreenshotError, match="Status: -1"):
        capture_on(server).look(5)


def test_an_answer_without_its_end_is_a_lost_link_and_no_screenshot_fault():
    with FakeServer(prints(b"  mWakefulness=Aw")) as server, pytest.raises(DeviceUnavailable) as caught:
        capture_on(server).look(5)
    assert not isinstance(caught.value, ScreenshotError)


def test_a_slow_capture_ends_at_the_deadline_without_a_picture():
    with (
        FakeServer(phone_says("exec:", lambda peer, _: peer.wait_for_close())) as server,
        pytest.raises(DeviceTimeout),
    ):
        capture_on(server).look(0.3)


def test_a_warning_of_several_displays_makes_it_name_the_active_one():
    commands: list[str] = []
    log = Warnings()
    active = DISPLAYS + VIEWPORTS % 4630000000000000004
    with FakeServer(
        prints(STATUS + WARNED, commands), shell_answer(active), prints(STATUS + CLEAN, commands)
    ) as server:
        camera = capture_on(server, log=log)
        assert camera.look(5).screenshot.png == CLEAN
        assert camera.look(5).screenshot.png == CLEAN
    assert commands[0].endswith("screencap -p")
    assert all(command.endswith("screencap -p -d 4630000000000000004") for command in commands[1:])
    assert [event["event"] for event in log.events] == ["several_displays"]


def test_without_a_known_active_display_the_first_one_is_named():
    commands: list[str] = []
    with FakeServer(prints(WARNED, commands), shell_answer(DISPLAYS), prints(CLEAN, commands)) as server:
        capture_on(server).screenshot(5)
    assert commands[-1].endswith("-d 4630000000000000003")


def test_a_phone_that_names_no_display_still_gives_the_clean_picture_and_warns_once():
    log = Warnings()
    with FakeServer(prints(STATUS + WARNED), shell_answer(b""), prints(STATUS + WARNED), shell_answer(b"")) as server:
        camera = capture_on(server, log=log)
        assert camera.look(5).screenshot.png == CLEAN
    assert len(log.events) == 1


def test_a_black_frame_is_kept_as_the_phone_sent_it():
    black = (INPUTS / "black_1080x2400.png").read_bytes()
    with FakeServer(prints(STATUS + black)) as server:
        shot = capture_on(server).look(5).screenshot
    with Image.open(io.BytesIO(shot.png)) as image:
        assert image.getextrema() in ((0, 0), ((0, 0),) * 3, ((0, 0),) * 3 + ((255, 255),))
        assert shot.png == black


def test_the_size_of_a_landscape_picture_is_the_pictures_own():
    landscape = (INPUTS / "screencap_landscape.png").read_bytes()
    with FakeServer(prints(STATUS + landscape)) as server:
        shot = capture_on(server).look(5).screenshot
    assert (shot.width_px, shot.height_px) == (2400, 1080)
