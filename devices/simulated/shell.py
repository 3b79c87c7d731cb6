"""What a phone's daemon offers: shell, exec, sync, reboot and a few small services, each on a stream of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from devices.simulated import coreutils
from devices.simulated.adb_stream import Stream
from devices.simulated.adbd import Service
from devices.simulated.command import Call, Result
from devices.simulated.command_log import CommandLog
from devices.simulated.faults import INJECT_REFUSAL, Fault, PhoneFaults
from devices.simulated.files import VirtualFiles
from devices.simulated.sh import NAME, NO_SUCH_COMMAND
from devices.simulated.sh_builtins import Shell
from devices.simulated.sh_streams import Callback, Input, Streams
from devices.simulated.shell_io import PtyInput, RawInput, Sender, V2Input, V2Sender
from devices.simulated.simphone import SIMPHONE
from devices.simulated.sync import SyncSession
from devices.simulated.terminal import interact

if TYPE_CHECKING:
    from devices.simulated.phone import Phone

ERROR_STATUS = 70
"""Of a command whose simulation is broken; the message says so."""

log = logging.getLogger(__name__)


class Power(Protocol):
    """What can be done to the phone and its link from outside."""

    async def fire(self, fault: Fault) -> None:
        """Make a fault happen; returns when the command may go on."""

    def soon(self, action: Callable[[], Awaitable[None]]) -> None:
        """Do something when the answer that is being written has left."""

    def restore(self) -> None:
        """End all faults."""

    @property
    def faults(self) -> PhoneFaults: ...


class PhoneMachine:
    """The Machine of `sh.py`: a phone's commands, with log and faults around them."""

    def __init__(self, phone: Phone, power: Power, command_log: CommandLog, service: str, *, is_tty: bool) -> None:
        self.phone = phone
        self.power = power
        self.log = command_log
        self.service = service
        self.is_tty = is_tty
        self._afterwards: list[Fault] = []
        self._is_refused = False

    @property
    def files(self) -> VirtualFiles:
        return self.phone.files

    def knows(self, name: str) -> bool:
        name = name.removeprefix("/system/bin/")
        return name in self.phone.commands or name in coreutils.COMMANDS or name in SIMPHONE

    def reads_input(self, argv: list[str]) -> bool:
        is_install = argv[0] in ("cmd", "pm") and "-S" in argv
        return is_install or (argv[0] not in self.phone.commands and coreutils.reads_input(argv))

    async def begin(self, argv: list[str]) -> None:
        due = self.power.faults.due(argv)
        for fault in due:
            self.log.add(self.phone.boot_id, service=self.service, fault=fault.kind, command=" ".join(argv))
            if not fault.is_after:
                await self.power.fire(fault)
        self._afterwards = [fault for fault in due if fault.is_after]
        self._is_refused = any(fault.kind == "inject_refused" for fault in due)
        self.log.add_command(self.phone.boot_id, self.service, argv)

    async def run(self, call: Call) -> Result:
        is_refused, afterwards = self._is_refused, self._afterwards
        if is_refused and call.argv[0] == "input":
            verb = " ".join(call.argv[1:2]).encode("utf-8", "surrogateescape")
            result = Result(stderr=INJECT_REFUSAL % verb, status=255)
        else:
            result = await self._run(call)
        for fault in afterwards:
            await self.power.fire(fault)
        return result

    async def _run(self, call: Call) -> Result:
        name = call.argv[0].removeprefix("/system/bin/")
        if name in SIMPHONE:
            return SIMPHONE[name](self.phone, self.power, call)
        handler = self.phone.commands.get(name) or coreutils.COMMANDS.get(name)
        if handler is None:
            return self._not_found(call.argv[0])
        try:
            result = await handler(self.phone, call)
        except Exception as error:
            log.exception("command %.500r failed", call.argv)
            return Result(stderr=f"{name}: the simulation failed: {error!r}\n".encode(), status=ERROR_STATUS)
        if name == "screencap":
            return Result(self.power.faults.screencap(result.stdout), result.stderr, result.status)
        return result

    def _not_found(self, name: str) -> Result:
        if "/" in name and self.files.exists(name):
            return Result(stderr=f"{NAME}: {name}: can't execute: Permission denied\n".encode(), status=126)
        text = f"{NAME}: {name}: inaccessible or not found\n"
        return Result(stderr=text.encode("utf-8", "surrogateescape"), status=NO_SUCH_COMMAND)


class PhoneServices:
    """Opens the services of one phone."""

    def __init__(self, phone: Phone, power: Power, command_log: CommandLog, reboot: Callable[[], None]) -> None:
        self.phone = phone
        self.power = power
        self.log = command_log
        self._reboot = reboot

    def open(self, stream: Stream) -> Service | None:
        """What to run for a stream's service; None refuses it."""
        name, colon, argument = stream.service.partition(":")
        kind, _, options = name.partition(",")
        if colon and kind == "shell":
            words = options.split(",") if options else []
            return lambda: self._shell_v2(stream, argument, words) if "v2" in words else self._shell(stream, argument)
        match name:
            case "exec" if colon:
                return lambda: self._exec(stream, argument)
            case "sync":
                return lambda: self._sync(stream)
            case "reboot":
                return lambda: self._restart(stream, argument)
            case "reconnect":
                return lambda: self._reconnect(stream)
            case "root" | "unroot" | "usb" | "tcpip" | "remount":
                return lambda: self._say(stream, name)
        self.log.add(self.phone.boot_id, service=stream.service[:200], refused=True)
        return None

    # -- shells ------------------------------------------------------------------------------------------------------

    def new_shell(self, service: str, *, is_tty: bool) -> Shell:
        machine = PhoneMachine(self.phone, self.power, self.log, service, is_tty=is_tty)
        return Shell(machine, self._environment())

    def _environment(self) -> dict[str, str]:
        return {
            "ANDROID_DATA": "/data",
            "ANDROID_ROOT": "/system",
            "EXTERNAL_STORAGE": "/sdcard",
            "HOME": "/",
            "HOSTNAME": self.phone.props.get("ro.product.device", "localhost"),
            "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/vendor/bin",
            "SHELL": NAME,
            "TERM": "dumb",
            "TMPDIR": "/data/local/tmp",
            "USER": "shell",
        }

    async def _shell_v2(self, stream: Stream, command: str, words: list[str]) -> None:
        is_pty = "pty" in words
        shell = self.new_shell("shell,v2", is_tty=is_pty)
        sender = V2Sender(stream, is_pty=is_pty)
        frames = V2Input(stream)
        stdin: Input = PtyInput(frames, sender.stdout) if is_pty else frames
        streams = Streams(stdin, Callback(sender.stdout), Callback(sender.stderr))
        status = await self._run(shell, command, streams, is_pty=is_pty)
        await sender.finish_with(status)

    async def _shell(self, stream: Stream, command: str) -> None:
        """v1: one stream on a terminal, no status."""
        sender = Sender(stream)
        write = sender.terminal if not command else sender.add
        raw = RawInput(stream)
        stdin: Input = PtyInput(raw, write) if not command else raw
        output = Callback(write)
        shell = self.new_shell("shell", is_tty=True)
        await self._run(shell, command, Streams(stdin, output, output), is_pty=True)
        await sender.finish()

    async def _exec(self, stream: Stream, command: str) -> None:
        sender = Sender(stream)
        output = Callback(sender.add)
        shell = self.new_shell("exec", is_tty=True)
        await shell.run(command, Streams(RawInput(stream), output, output))
        await sender.finish()

    async def _run(self, shell: Shell, command: str, streams: Streams, *, is_pty: bool) -> int:
        if command:
            return await shell.run(command, streams)
        prompt = f"{self.phone.props.get('ro.product.device', 'phone')}:/ $ " if is_pty else ""
        return await interact(shell, streams, prompt)

    # -- others ------------------------------------------------------------------------------------------------------

    async def _sync(self, stream: Stream) -> None:
        def note(action: str, path: str, size: int) -> None:
            self.log.add(self.phone.boot_id, service="sync", sync=action, path=path, bytes=size)

        await SyncSession(stream, lambda: self.phone.files, note).run()

    async def _restart(self, stream: Stream, target: str) -> None:
        stream.close()
        self.log.add(self.phone.boot_id, service="reboot", reboot=target)
        self._reboot()

    async def _reconnect(self, stream: Stream) -> None:
        await stream.finish(b"done")
        link = stream.link
        asyncio.get_running_loop().call_soon(link.abort)

    async def _say(self, stream: Stream, name: str) -> None:
        text = {
            "root": "adbd cannot run as root in production builds\n",
            "unroot": "adbd not running as root\n",
            "remount": 'Not running as root. Try "adb root" first.\n',
        }.get(name, f"{name}: not on a simulated phone\n")
        await stream.finish(text.encode())
