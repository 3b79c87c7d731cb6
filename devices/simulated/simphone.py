"""`simphone`, the command that only simulated phones have: set faults, end them, reset the phone. Also called `sim`.

simphone reset [SEED]              everything as at the start
simphone fault KIND [SECONDS]      a fault, from now on (see faults.py)
simphone restore                   end all faults that can still be reached by a command
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devices.simulated.command import Call, Result
from devices.simulated.faults import LINK_KINDS, BadFault

if TYPE_CHECKING:
    from devices.simulated.phone import Phone
    from devices.simulated.shell import Power

USAGE = b"usage: simphone reset [SEED] | fault KIND [SECONDS] | restore\n"


def simphone(phone: Phone, power: Power, call: Call) -> Result:
    match call.argv[1:]:
        case ["reset"]:
            phone.reset()
        case ["reset", seed] if seed.lstrip("-").isdecimal():
            phone.reset(int(seed))
        case ["restore"]:
            power.restore()
        case ["fault", kind, *seconds] if len(seconds) < 2:
            return _fault(power, kind, seconds)
        case _:
            return Result(stderr=USAGE, status=2)
    return Result()


def _fault(power: Power, kind: str, seconds: list[str]) -> Result:
    rule: dict[str, object] = {"kind": kind}
    if seconds:
        rule["seconds"] = seconds[0]
    try:
        fault = power.faults.set(rule)
    except BadFault as error:
        return Result(stderr=f"simphone: {error}\n".encode("utf-8", "surrogateescape"), status=2)
    if kind in LINK_KINDS:
        power.faults.rules.remove(fault)
        power.soon(lambda: power.fire(fault))
    return Result()


SIMPHONE: dict[str, Callable[[Phone, Power, Call], Result]] = {"simphone": simphone, "sim": simphone}
