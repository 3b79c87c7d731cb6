"""The phone's daemon against a hostile or broken adb server: it speaks packets, and survives what is none."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable

import pytest

from devices.simulated.adb_stream import CLSE, OKAY, WRTE
from devices.simulated.adbd import AUTH, CNXN, OPEN
from devices.simulated.host import PhoneHost
from devices.simulated.phone import Phone

HEADER = struct.Struct("<6I")
HELLO = b"host::features=shell_v2,cmd"


class Wire:
    """The adb server's end of a link."""

    def __init__(self, host: PhoneHost) -> None:
        self.host = host

    async def open(self, version: int = 0x01000001) -> bytes:
        """Connect; the banner."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.host.adbd.port)
        self.send(CNXN, version, 1024 * 1024, HELLO)
        return (await self.receive())[3]

    def send(self, command: int, arg0: int, arg1: int, payload: bytes = b"") -> None:
        header = HEADER.pack(command, arg0, arg1, len(payload), sum(payload), command ^ 0xFFFFFFFF)
        self.writer.write(header + payload)

    async def receive(self) -> tuple[int, int, int, bytes]:
        async with asyncio.timeout(10):
            command, arg0, arg1, length, self.checksum, _ = HEADER.unpack(await self.reader.readexactly(24))
            return command, arg0, arg1, await self.reader.readexactly(length)

    async def run(self, service: bytes, host_id: int = 1) -> bytes:
        """Open a service and read it to its end."""
        self.send(OPEN, host_id, 0, service + b"\0")
        data = b""
        while True:
            command, local, remote, payload = await self.receive()
            if remote != host_id:
                continue
            if command == CLSE:
                return data
            if command == WRTE:
                data += payload
                self.send(OKAY, host_id, local)

    async def is_cut(self) -> bool:
        async with asyncio.timeout(10):
            try:
                return await self.reader.read() == b""
            except ConnectionError:
                return True


def with_phone(test: Callable[[Wire], Awaitable[None]]) -> None:
    async def run() -> None:
        host = PhoneHost(Phone(0))
        await host.start()
        try:
            await test(Wire(host))
        finally:
            await host.stop()

    asyncio.run(run())


def test_the_banner_names_product_and_features() -> None:
    async def test(wire: Wire) -> None:
        banner = (await wire.open()).decode()
        assert banner.startswith("device::ro.product.name=sim_phone;ro.product.model=Sim Phone;")
        assert "shell_v2" in banner.rpartition("features=")[2].split(",")

    with_phone(test)


def test_a_model_name_cannot_break_the_banner() -> None:
    async def test(wire: Wire) -> None:
        wire.host.phone.props["ro.product.model"] = "x;features=none:y"
        assert "ro.product.model=x features none y;" in (await wire.open()).decode()

    with_phone(test)


def test_a_fast_answer_is_whole_and_closed_once() -> None:
    async def test(wire: Wire) -> None:
        await wire.open()
        wire.send(OPEN, 7, 0, b"shell:echo hi\0")
        packets = [await wire.receive() for _ in range(3)]
        assert [packet[0] for packet in packets] == [OKAY, WRTE, CLSE]
        assert {packet[2] for packet in packets} == {7}
        assert packets[1][3] == b"hi\n"

    with_phone(test)


def test_one_packet_of_a_stream_is_under_way_at_a_time() -> None:
    async def test(wire: Wire) -> None:
        await wire.open()
        wire.send(OPEN, 7, 0, b"exec:screencap\0")
        assert (await wire.receive())[0] == OKAY
        _, local, _, first = await wire.receive()
        assert len(first) == 1024 * 1024
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await wire.reader.readexactly(1)
        wire.send(OKAY, 7, local)
        assert (await wire.receive())[0] == WRTE

    with_phone(test)


def test_an_old_server_gets_checksums() -> None:
    async def test(wire: Wire) -> None:
        banner = await wire.open(version=0x01000000)
        assert wire.checksum == sum(banner)

    with_phone(test)


def test_an_unauthorized_phone_answers_with_a_token_and_to_signatures_with_another() -> None:
    async def test(wire: Wire) -> None:
        wire.host.adbd.is_authorized = False
        assert len(await wire.open()) == 20
        wire.send(AUTH, 2, 0, b"s" * 256)
        assert (await wire.receive())[:2] == (AUTH, 1)
        wire.send(OPEN, 1, 0, b"shell:true\0")
        wire.send(AUTH, 2, 0, b"s" * 256)
        assert (await wire.receive())[0] == AUTH

    with_phone(test)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n",
        HEADER.pack(OPEN, 1, 0, 0xFFFFFFFF, 0, OPEN ^ 0xFFFFFFFF),
        HEADER.pack(OPEN, 1, 0, 0, 0, 12345),
        bytes(24),
    ],
)
def test_what_is_no_packet_ends_the_link_and_not_the_phone(data: bytes) -> None:
    async def test(wire: Wire) -> None:
        await wire.open()
        wire.writer.write(data)
        assert await wire.is_cut()
        await wire.open()
        assert await wire.run(b"shell:echo alive") == b"alive\n"

    with_phone(test)


def test_packets_for_streams_that_do_not_exist_are_ignored() -> None:
    async def test(wire: Wire) -> None:
        await wire.open()
        for command in (OKAY, WRTE, CLSE):
            wire.send(command, 99, 4242, b"x" if command == WRTE else b"")
        assert await wire.run(b"shell:echo alive") == b"alive\n"

    with_phone(test)


def test_nothing_is_served_before_the_greeting() -> None:
    async def test(wire: Wire) -> None:
        wire.reader, wire.writer = await asyncio.open_connection("127.0.0.1", wire.host.adbd.port)
        wire.send(OPEN, 1, 0, b"shell:input tap 1 1\0")
        wire.send(CNXN, 0x01000001, 1024 * 1024, HELLO)
        assert (await wire.receive())[0] == CNXN
        assert await wire.run(b"shell:echo alive") == b"alive\n"
        assert wire.host.log.commands() == [["echo", "alive"]]

    with_phone(test)


def test_a_client_that_leaves_ends_its_command() -> None:
    async def test(wire: Wire) -> None:
        await wire.open()
        wire.send(OPEN, 7, 0, b"shell,v2,raw:sleep 60; input tap 1 1\0")
        _, local, _, _ = await wire.receive()
        wire.send(CLSE, 7, local)
        assert await wire.run(b"shell:echo alive", 8) == b"alive\n"
        assert ["input", "tap", "1", "1"] not in wire.host.log.commands()

    with_phone(test)


def test_a_broken_command_fails_alone() -> None:
    async def explode(phone: object, call: object) -> None:
        raise ZeroDivisionError("planted")

    async def test(wire: Wire) -> None:
        wire.host.phone.commands = {**wire.host.phone.commands, "explode": explode}
        await wire.open()
        assert b"the simulation failed" in await wire.run(b"exec:explode; echo next")
        assert await wire.run(b"exec:echo alive", 2) == b"alive\n"

    with_phone(test)


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"NOPE" + struct.pack("<I", 3) + b"abc",
        b"STAT" + struct.pack("<I", 1_000_000),
        b"SEND" + struct.pack("<I", 12) + b"/sdcard/x,33" + b"WHAT" + bytes(4),
    ],
)
def test_a_sync_request_that_makes_no_sense_fails(request_bytes: bytes) -> None:
    async def test(wire: Wire) -> None:
        await wire.open()
        wire.send(OPEN, 7, 0, b"sync:\0")
        _, local, _, _ = await wire.receive()
        wire.send(WRTE, 7, local, request_bytes)
        packets = [await wire.receive(), await wire.receive()]
        assert [packet[3][:4] for packet in packets if packet[0] == WRTE] == [b"FAIL"]
        assert await wire.run(b"shell:echo alive", 8) == b"alive\n"

    with_phone(test)
