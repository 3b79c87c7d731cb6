"""Finding phones: none of them can stop the others from being found."""

import pytest
from fake_wire import FakeServer, Peer

from devices import fleet
from devices.errors import AdbServerError
from devices.fleet import connect_all, discover

LIST = """HUNG           device usb:1-1 model:Hung transport_id:1
USB1           device usb:1-2 model:Good_One transport_id:2
192.0.2.1:5555 device product:x model:Good_One transport_id:3
192.0.2.2:5555 offline transport_id:4
NEW1           unauthorized usb:1-3 transport_id:5
"""
SERIAL_NUMBERS = {"USB1": "HW1", "192.0.2.1:5555": "HW1"}


def rack(listing: str):
    def script(peer: Peer) -> None:
        service = peer.service()
        if service == "host:devices-l":
            peer.okay_block(listing)
            return
        serial = service.removeprefix("host:transport:")
        peer.okay()
        peer.service()
        peer.okay()
        if serial == "HUNG":
            peer.wait_for_close()
        else:
            peer.packet(1, f"{SERIAL_NUMBERS[serial]}\n".encode())
            peer.packet(3, b"\0")
            peer.wait_for_close()

    return script


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(fleet, "PROBE_TIMEOUT_S", 0.5)
    monkeypatch.setattr(fleet, "AUTHORIZING_WAIT_S", 0.2)


def test_every_phone_is_reported_with_what_to_do_about_it():
    with FakeServer(rack(LIST)) as server:
        found = {phone.serial: phone for phone in discover(server.port)}
    assert [serial for serial, phone in found.items() if phone.usable] == ["USB1"]
    assert (found["USB1"].hardware_serial, found["USB1"].model) == ("HW1", "Good_One")
    assert "does not answer" in found["HUNG"].why
    assert found["192.0.2.1:5555"].why == "the same phone as USB1"
    assert "offline" in found["192.0.2.2:5555"].why
    assert "approve USB debugging" in found["NEW1"].why


def test_a_phone_that_is_still_being_authorized_is_waited_for_a_little():
    answers = iter(["USB1 authorizing usb:1-2\n", "USB1 device usb:1-2 model:Good_One\n"])

    def script(peer: Peer) -> None:
        rack(next(answers) if server.connections <= 2 else "")(peer)

    with FakeServer(script) as server:
        (phone,) = discover(server.port)
    assert phone.usable


def test_a_phone_that_is_never_authorized_is_reported_and_not_used():
    with FakeServer(rack("USB1 authorizing usb:1-2\n")) as server:
        (phone,) = discover(server.port)
    assert not phone.usable and "dialog" in phone.why


def test_a_missing_server_is_one_clear_error(monkeypatch):
    monkeypatch.setattr("devices.adb_link.SERVER_WAITS_S", (0.01,))
    with FakeServer(lambda peer: peer.reset()) as server, pytest.raises(AdbServerError, match=str(server.port)):
        discover(server.port)


def test_each_address_is_connected_and_failures_are_told_in_adbs_words():
    def script(peer: Peer) -> None:
        address = peer.service().removeprefix("host:connect:")
        if address == "192.0.2.9:5555":
            peer.okay_block("failed to connect to '192.0.2.9:5555': Connection refused")
        else:
            peer.okay_block(f"connected to {address}")

    with FakeServer(script) as server:
        result = connect_all(server.port, ["192.0.2.1:5555", "192.0.2.9:5555"])
    assert result == {
        "192.0.2.1:5555": "",
        "192.0.2.9:5555": "failed to connect to '192.0.2.9:5555': Connection refused",
    }


def test_already_connected_is_no_proof_and_a_dead_link_is_connected_anew():
    asked = []

    def script(peer: Peer) -> None:
        service = peer.service()
        asked.append(service)
        if service.startswith("host:connect"):
            peer.okay_block("already connected to A:1" if len(asked) == 1 else "connected to A:1")
        elif service.startswith("host:disconnect"):
            peer.okay_block("disconnected A:1")
        else:
            peer.fail("device offline")

    with FakeServer(script) as server:
        assert connect_all(server.port, ["A:1"]) == {"A:1": ""}
    assert [service for service in asked if "connect" in service] == [
        "host:connect:A:1",
        "host:disconnect:A:1",
        "host:connect:A:1",
    ]
