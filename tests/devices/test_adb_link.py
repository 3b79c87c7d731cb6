"""The link keeps its deadline, repeats only what may be repeated, and says what went wrong."""

import os
import socket
import subprocess
import threading
import time

import pytest
from fake_wire import FakeServer, Peer, phone_says, shell_answer

from devices.adb_link import AdbLink, LinkCut, ServerLink, adb_client
from devices.errors import AdbServerError, DeviceNeedsHuman, DeviceTimeout, DeviceUnavailable


def link_to(server: FakeServer, timeout_s: float = 5.0) -> AdbLink:
    return AdbLink("phone", adb_client(server.port), timeout_s=timeout_s)


def silent(peer: Peer) -> None:
    peer.wait_for_close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_output_errors_and_exit_code_arrive_apart():
    with FakeServer(shell_answer("grüße 你好\n".encode(), b"oops", 3)) as server:
        answer = link_to(server).shell("true")
    assert (answer.stdout, answer.stderr, answer.code) == ("grüße 你好\n", "oops", 3)


def test_packets_split_at_any_byte_are_put_together():
    def drip_whole(peer: Peer, _: str) -> None:
        for byte in b"\x01\x05\x00\x00\x00hello\x02\x01\x00\x00\x00!\x03\x01\x00\x00\x00\x07":
            peer.connection.sendall(bytes([byte]))
        peer.wait_for_close()

    with FakeServer(phone_says("shell,v2,raw:", drip_whole)) as server:
        answer = link_to(server).shell("true")
    assert (answer.stdout, answer.stderr, answer.code) == ("hello", "!", 7)


def test_a_server_that_accepts_and_stays_silent_ends_at_the_deadline_as_server_trouble():
    with FakeServer(silent) as server, pytest.raises(AdbServerError):
        link_to(server, timeout_s=0.3).shell("true", is_read_only=True)


def test_a_phone_that_stays_silent_is_a_timeout_of_the_phone():
    with FakeServer(phone_says("shell", lambda peer, _: peer.wait_for_close())) as server:
        with pytest.raises(DeviceTimeout) as caught:
            link_to(server, timeout_s=0.3).shell("true", is_read_only=True)
        assert server.connections == 1
    assert caught.value.serial == "phone"


def test_a_command_that_drips_for_ever_ends_at_the_deadline():
    def drip(peer: Peer, _: str) -> None:
        peer.drip(b"\x01\x01\x00\x00\x00.", server.stopping)

    with FakeServer(phone_says("shell", drip)) as server, pytest.raises(DeviceTimeout):
        link_to(server, timeout_s=0.4).shell("true")


def test_a_picture_that_drips_for_ever_ends_at_the_deadline():
    with (
        FakeServer(phone_says("exec:", lambda peer, _: peer.drip(b".", server.stopping))) as server,
        pytest.raises(DeviceTimeout),
    ):
        link_to(server, timeout_s=0.4).exec_out("screencap -p")


def test_a_server_that_drips_its_answer_ends_at_the_deadline():
    def drip(peer: Peer) -> None:
        peer.service()
        peer.okay(b"ffff")
        peer.drip(b".", server.stopping)

    with FakeServer(drip) as server, pytest.raises(AdbServerError):
        ServerLink(adb_client(server.port), timeout_s=0.4).ask("host:devices-l")


def test_a_refused_connection_is_server_trouble_and_starts_no_server(monkeypatch):
    started = []
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **_: started.append(arguments))
    with pytest.raises(AdbServerError, match="refused"):
        AdbLink("phone", adb_client(free_port()), timeout_s=0.2).shell("true")
    assert started == []


def test_a_cold_server_is_waited_for_even_before_an_action():
    """Nothing reached the phone while the connection was refused, so even a tap may be tried again."""
    with FakeServer(shell_answer(b"done"), is_cold=True) as server:
        link = link_to(server)
        with pytest.raises(AdbServerError):
            link.shell("input tap 1 1", timeout_s=0.05)
        warming = threading.Timer(0.3, server.warm_up)
        warming.start()
        assert link.shell("input tap 1 1").stdout == "done"
        warming.join()


def test_a_server_that_resets_before_the_command_was_sent_is_tried_again():
    with FakeServer(lambda peer: peer.reset(), shell_answer(b"done")) as server:
        assert link_to(server).shell("input tap 1 1").stdout == "done"


def test_a_read_that_the_server_cut_off_is_repeated():
    def cut(peer: Peer, _: str) -> None:
        peer.packet(1, b"7 bytes")
        peer.reset()

    with FakeServer(phone_says("shell", cut), shell_answer(b"whole")) as server:
        assert link_to(server).shell("getprop", is_read_only=True).stdout == "whole"
        assert server.connections == 2


def test_an_action_that_the_server_cut_off_is_never_repeated():
    with FakeServer(phone_says("shell", lambda peer, _: peer.reset()), shell_answer(b"whole")) as server:
        with pytest.raises(DeviceUnavailable):
            link_to(server).shell("input tap 1 1")
        assert server.connections == 1


def test_an_end_without_exit_packet_is_a_lost_phone_and_not_a_success():
    def leave(peer: Peer, _: str) -> None:
        peer.connection.recv(5)
        peer.packet(1, b"all is well")

    with FakeServer(phone_says("shell", leave)) as server, pytest.raises(LinkCut):
        link_to(server).shell("input tap 1 1")


@pytest.mark.parametrize(
    ("text", "error", "hint"),
    [
        ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", DeviceNeedsHuman, "approve"),
        ("insufficient permissions for device: missing udev rules?", DeviceNeedsHuman, "udev"),
        ("device offline", DeviceUnavailable, "offline"),
        ("device 'phone' not found", DeviceUnavailable, "not found"),
    ],
)
def test_a_refusal_of_the_server_tells_what_to_do(text, error, hint):
    with FakeServer(lambda peer: (peer.service(), peer.fail(text))) as server, pytest.raises(error, match=hint):
        link_to(server).shell("true")


def test_a_phone_that_refuses_the_service_is_unavailable():
    def refuse(peer: Peer) -> None:
        peer.service()
        peer.okay()
        peer.service()
        peer.fail("closed")

    with FakeServer(refuse) as server, pytest.raises(DeviceUnavailable, match="closed"):
        link_to(server).shell("true")


def test_a_daemon_without_shell_v2_is_asked_for_its_exit_code():
    def features(peer: Peer) -> None:
        peer.service()
        peer.okay_block("cmd,stat_v2")

    def old(peer: Peer, service: str) -> None:
        assert service == "shell:false\necho __CODE:$?"
        peer.connection.sendall(b"words\r\n__CODE:1\r\n")

    with FakeServer(features, phone_says("shell:", old)) as server:
        link = link_to(server)
        link.learn_features()
        answer = link.shell("false")
    assert (answer.stdout, answer.code) == ("words\n", 1)


def test_a_daemon_without_shell_v2_that_ends_early_is_a_lost_phone():
    def features(peer: Peer) -> None:
        peer.service()
        peer.okay_block("cmd")

    with FakeServer(features, phone_says("shell:", lambda peer, _: peer.connection.sendall(b"words"))) as server:
        link = link_to(server)
        link.learn_features()
        with pytest.raises(LinkCut):
            link.shell("input tap 1 1")


def test_ten_megabytes_are_read_whole():
    picture = os.urandom(1024) * 10_240
    with FakeServer(phone_says("exec:", lambda peer, _: peer.connection.sendall(picture))) as server:
        assert link_to(server).exec_out("screencap") == picture


def test_both_port_settings_and_the_binary_are_set_in_one_place(tmp_path):
    client = adb_client(12345, tmp_path / "adb of mine")
    assert client.port == 12345
    assert os.environ["ANDROID_ADB_SERVER_PORT"] == "12345"
    assert os.environ["ADBUTILS_ADB_PATH"] == str(tmp_path / "adb of mine")


def test_without_a_port_the_environment_decides(monkeypatch):
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "23456")
    assert adb_client(None).port == 23456


def test_relinking_disconnects_connects_and_never_asks_adb_to_reconnect():
    asked = []

    def serve(peer: Peer) -> None:
        asked.append(peer.service())
        peer.okay_block("connected to phone")

    with FakeServer(serve) as server:
        assert link_to(server).relink() == "connected to phone"
    assert asked == ["host:disconnect:phone", "host:connect:phone"]


def test_closing_a_call_does_not_sleep(monkeypatch):
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    with FakeServer(shell_answer(b"done")) as server:
        link_to(server).shell("true")
    assert slept == []
