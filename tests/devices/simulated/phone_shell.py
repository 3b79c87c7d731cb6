"""A real phone's shell without adb, for tests: `run(script)`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from devices.simulated.host import PhoneHost
from devices.simulated.phone import Phone
from devices.simulated.sh_streams import BytesInput, Capture, Streams


@dataclass
class Ran:
    status: int
    out: str
    err: str
    argvs: list[list[str]]
    """Every simple command that ran, in order."""


class PhoneShell:
    """One phone; each `run` is a new shell on it."""

    def __init__(self) -> None:
        self.host = PhoneHost(Phone(0))
        self.phone = self.host.phone

    def run(self, script: str, stdin: bytes = b"") -> Ran:
        out, err = Capture(), Capture()
        self.host.log.tail.clear()
        shell = self.host.services.new_shell("shell,v2", is_tty=False)
        status = asyncio.run(shell.run(script, Streams(BytesInput(stdin), out, err)))
        return Ran(status, text(out.data), text(err.data), self.host.log.commands())


def text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
