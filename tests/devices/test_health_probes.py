"""Each probe can fail on its own, and being listed as "device" is no health."""

import pytest
from fake_wire import FakeServer, Peer

from devices import health
from devices.adb_link import AdbLink, adb_client
from devices.errors import ScreenshotError

WELL = {
    "echo": lambda command: command.removeprefix("echo ") + "\n",
    "getprop sys.boot_completed": lambda _: "1\n1\nstopped\n",
    "pm path": lambda _: "package:/system/framework/framework-res.apk\n",
    "dumpsys": lambda _: "  Display: mDisplayId=0\n",
    "cat": lambda _: "6f1c2d3e-0a1b-4c5d-8e9f-001122334455\n",
}


def phone(answers, state: str = "device"):
    """A script for every connection: the state to the server, or the answer to a shell command (None: silence)."""

    def script(peer: Peer) -> None:
        service = peer.service()
        if service.endswith("get-state"):
            peer.okay_block(state)
            return
        peer.okay()
        command = peer.service().removeprefix("shell,v2,raw:")
        peer.okay()
        answer = next((answer for start, answer in answers.items() if command.startswith(start)), lambda _: "")
        if answer is None:
            peer.wait_for_close()
            return
        peer.packet(1, answer(command).encode())
        peer.packet(3, b"\0")
        peer.wait_for_close()

    return script


def check(answers, state: str = "device", picture=lambda: None):
    with FakeServer(phone(answers, state)) as server:
        return health.check(AdbLink("phone", adb_client(server.port)), picture)


@pytest.fixture(autouse=True)
def _short_deadlines(monkeypatch):
    monkeypatch.setattr(health, "PROBE_TIMEOUT_S", 0.3)
    monkeypatch.setattr(health, "SERVICES_TIMEOUT_S", 0.3)


def test_a_well_phone_is_fit():
    assert check(WELL).fit


def test_a_phone_that_is_listed_but_silent_is_not_fit():
    result = check({**WELL, "echo": None})
    assert (result.fit, result.failed) == (False, ("shell",))
    assert "no answer" in result.message


def test_a_shell_must_give_back_what_it_cannot_know():
    assert check({**WELL, "echo": lambda _: "yes\n"}).failed == ("shell",)


def test_an_offline_phone_fails_at_the_link_and_is_asked_nothing_else():
    assert check(WELL, state="offline").failed == ("link",)


def test_a_phone_that_is_still_starting_is_not_fit():
    assert check({**WELL, "getprop sys.boot_completed": lambda _: "\n\nrunning\n"}).failed == ("boot",)


def test_missing_boot_properties_of_a_maker_do_no_harm():
    assert check({**WELL, "getprop sys.boot_completed": lambda _: "1\n\n\n"}).fit


def test_a_dead_package_or_window_manager_is_noticed():
    assert check({**WELL, "pm path": lambda _: ""}).failed == ("services",)
    assert check({**WELL, "dumpsys": None}).failed == ("services",)


def test_a_phone_that_gives_no_picture_is_blind():
    def no_picture():
        raise ScreenshotError("phone", "0 bytes of picture")

    result = check(WELL, picture=no_picture)
    assert result.failed == ("eyes",)
    assert "0 bytes" in result.message


def test_relinking_is_proved_by_the_shell_and_not_by_adbs_words(monkeypatch):
    asked = []

    def script(peer: Peer) -> None:
        service = peer.service()
        asked.append(service)
        if "connect:" in service:
            peer.okay_block("already connected to phone")
        else:
            peer.fail("device offline")

    with FakeServer(script) as server:
        assert health.relink(AdbLink("phone", adb_client(server.port)), wait_s=0.1) is False
    assert not any("reconnect" in service for service in asked)


def test_relinking_succeeds_when_the_shell_answers():
    def script(peer: Peer) -> None:
        if server.connections <= 2:
            peer.service()
            peer.okay_block("connected to phone")
        else:
            phone(WELL)(peer)

    with FakeServer(script) as server:
        assert health.relink(AdbLink("phone", adb_client(server.port)), wait_s=1) is True


def test_the_boot_id_is_read():
    with FakeServer(phone(WELL)) as server:
        assert health.read_boot_id(AdbLink("phone", adb_client(server.port))).startswith("6f1c2d3e")
