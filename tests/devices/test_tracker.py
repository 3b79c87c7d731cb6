"""Phones come and go; a phone that leaves the list for an instant does not."""

import threading

from fake_wire import FakeServer, Peer, wait_until

from devices.adb_link import ServerLink, adb_client
from devices.tracker import ABSENT, ABSENT_AFTER_S, AFTER_SERVER_S, Change, StateBoard, Tracker


def test_each_change_is_told_once():
    board = StateBoard()
    assert board.update({"A": "device"}, 0) == [Change("A", "device")]
    assert board.update({"A": "device"}, 1) == []
    assert board.update({"A": "offline"}, 2) == [Change("A", "offline")]


def test_an_instant_off_the_list_is_not_absence():
    board = StateBoard()
    board.update({"A": "offline"}, 0)
    assert board.update({}, 1) == []
    assert board.update({"A": "device"}, 1.1) == [Change("A", "device")]
    assert board.settle(100) == []


def test_a_phone_that_stays_away_is_absent_once():
    board = StateBoard()
    board.update({"A": "device"}, 0)
    board.update({}, 1)
    assert board.next_settle_s() == 1 + ABSENT_AFTER_S
    assert board.settle(1 + ABSENT_AFTER_S) == [Change("A", ABSENT)]
    assert board.settle(100) == []
    assert board.states == {}


def test_a_restarted_server_gets_time_to_find_its_phones():
    board = StateBoard()
    board.update({"A": "device", "B": "device"}, 0)
    board.server_lost(10)
    assert board.update({}, 11) == []
    assert board.update({"A": "device"}, 15) == []
    assert board.settle(10 + AFTER_SERVER_S) == [Change("B", ABSENT)]


def test_the_tracker_follows_the_stream_and_ends_when_told():
    listing = threading.Event()

    def serve(peer: Peer) -> None:
        if peer.service() == "host:devices-l":
            peer.okay_block("A device\nB device\n" if listing.is_set() else "A device\n")
            return
        peer.okay_block("A device\n")
        listing.wait(10)
        text = b"A device\nB device\n"
        peer.connection.sendall(b"%04x" % len(text) + text)
        peer.wait_for_close()

    changes = []
    with FakeServer(serve) as server:
        tracker = Tracker(ServerLink(adb_client(server.port)), changes.append)
        tracker.start()
        wait_until(lambda: changes == [Change("A", "device")])
        listing.set()
        wait_until(lambda: changes[1:] == [Change("B", "device")])
        assert tracker.states() == {"A": "device", "B": "device"}
        tracker.stop()
    assert not any(thread.name in ("adb-track", "adb-poll") for thread in threading.enumerate())
