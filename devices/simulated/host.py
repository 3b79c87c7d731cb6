"""One simulated phone with everything around it: its adb daemon, its services, its faults, its log."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from devices.simulated.adbd import Adbd
from devices.simulated.command_log import CommandLog
from devices.simulated.faults import DEFAULT_SECONDS, LINK_KINDS, Fault, PhoneFaults
from devices.simulated.phone import Phone
from devices.simulated.shell import PhoneServices

FEATURES = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"
ANSWER_LEAVES_S = 0.05
"""Given to an answer before the fault that it announces."""
REBOOT_CLOSES_S = 0.01

_STARTED = {"sys.boot_completed": "1", "dev.bootcomplete": "1", "init.svc.bootanim": "stopped"}
_STARTING = {"sys.boot_completed": "", "dev.bootcomplete": "", "init.svc.bootanim": "running"}


class PhoneHost:
    """Runs one phone in the current event loop."""

    def __init__(
        self, phone: Phone, *, rules: Iterable[Mapping[str, Any]] = (), seed: int = 0, log_dir: Path | None = None
    ) -> None:
        self.phone = phone
        self.faults = PhoneFaults(rules, index=phone.index, seed=seed)
        phone.faults = self.faults
        self.log = CommandLog(None if log_dir is None else log_dir / f"{phone.hardware_serial}.jsonl")
        self.services = PhoneServices(phone, self, self.log, self._reboot_now)
        self.adbd = Adbd(self._banner, self.services.open)
        self._awake = asyncio.Event()
        self._awake.set()
        self._starts_for_s: float | None = None
        self._timers: set[asyncio.TimerHandle] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def serial(self) -> str:
        """What adb calls the phone when it is connected by its port."""
        return f"127.0.0.1:{self.adbd.port}"

    async def start(self) -> None:
        await self.adbd.start()

    async def stop(self) -> None:
        self._forget_timers()
        for task in self._tasks:
            task.cancel()
        await self.adbd.stop()
        self.log.close()

    def _banner(self) -> str:
        """Who the phone is; asked for at each connection."""
        if self._starts_for_s is not None:
            self._after(self._starts_for_s, lambda: self.phone.props.update(_STARTED))
            self._starts_for_s = None
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        properties = "".join(f"{name}={_plain(self.phone.props.get(name, ''))};" for name in names)
        return f"device::{properties}features={FEATURES}"

    # -- faults ------------------------------------------------------------------------------------------------------

    def set_fault(self, rule: Mapping[str, Any]) -> None:
        """Add a rule; a fault of the link that names no command happens now. Raises BadFault."""
        fault = self.faults.set(rule)
        if fault.kind in LINK_KINDS and fault.at_command is None and fault.rate is None and "match" not in rule:
            self.faults.rules.remove(fault)
            self.log.add(self.phone.boot_id, fault=fault.kind)
            self._spawn(self.fire(fault))

    async def fire(self, fault: Fault) -> None:
        """Make a fault happen now."""
        match fault.kind:
            case "slow":
                await asyncio.sleep(fault.seconds)
            case "drop":
                self._leave()
                self._after(fault.seconds, self._return)
            case "reboot":
                self._reboot(fault.seconds)
            case "offline":
                self._leave()
            case "unauthorized":
                self.adbd.is_authorized = False
                self.adbd.cut()
            case "hang":
                self._hang(fault.seconds)
        if fault.kind in LINK_KINDS:
            # A command whose link was cut ends here; in a phone that hangs it goes on when the phone does.
            await asyncio.sleep(0)
            await self._awake.wait()

    def soon(self, action: Callable[[], Awaitable[None]]) -> None:
        async def act() -> None:
            await asyncio.sleep(ANSWER_LEAVES_S)
            await action()

        self._spawn(act())

    def restore(self) -> None:
        """End all faults: no rules, reachable, authorized, started."""
        self.faults.clear()
        self._forget_timers()
        self.phone.props.update(_STARTED)
        self._starts_for_s = None
        self._wake_up()
        if not self.adbd.is_authorized:
            self.adbd.is_authorized = True
            self.adbd.cut()
        self._return()

    def _leave(self) -> None:
        """The plug is pulled."""
        self._forget_timers()
        self._wake_up()
        self.adbd.deafen()
        self.adbd.cut()

    def _return(self) -> None:
        self._spawn(self.adbd.listen())

    def _hang(self, seconds: float) -> None:
        self._awake.clear()
        self.adbd.set_hung(True)
        self._after(seconds, self._wake_up)

    def _wake_up(self) -> None:
        if self.adbd.is_hung:
            self.adbd.set_hung(False)
        self._awake.set()

    def _reboot_now(self) -> None:
        """`adb reboot`: the stream closes first."""
        self._after(REBOOT_CLOSES_S, lambda: self._reboot(DEFAULT_SECONDS["reboot"]))

    def _reboot(self, seconds: float) -> None:
        """Away for `seconds`; from the first connection on still starting for as long again."""
        self._leave()
        self.phone.reboot()
        self.phone.props.update(_STARTING)
        self._starts_for_s = seconds
        self.log.add(self.phone.boot_id, boot_started=True)
        self._after(seconds, self._return)

    # -- timers ------------------------------------------------------------------------------------------------------

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        self._timers.add(asyncio.get_running_loop().call_later(seconds, action))

    def _forget_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _spawn(self, action: Any) -> None:
        task = asyncio.get_running_loop().create_task(action)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _plain(text: str) -> str:
    """Without the characters that would end a property in the banner."""
    return "".join(" " if character in ":;=" else character for character in text)
