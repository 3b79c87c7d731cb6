"""Control of a running fleet: one JSON object a line in, one JSON answer a line out.

    {"cmd": "fault", "phone": 0, "kind": "offline", "seconds": 3}     a fault rule; a link fault happens at once
    {"cmd": "restore", "phone": 0}                                    end the phone's faults
    {"cmd": "reset", "phone": 0, "seed": 7}                           the phone as at the start
    {"cmd": "state", "phone": 0}                                      what the simulation knows of it

"phone" may be "all". The answer is {"event": "done", …} or {"event": "error", "error": text}.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from devices.simulated.faults import BadFault
from devices.simulated.host import PhoneHost


class BadCommand(ValueError):
    """A control line that cannot be obeyed."""


def obey(line: bytes, hosts: Sequence[PhoneHost]) -> dict[str, Any]:
    """Carry out one control line; the answer."""
    try:
        command = json.loads(line)
        if not isinstance(command, dict):
            raise BadCommand("an object is expected")
        chosen = _chosen(command.pop("phone", "all"), hosts)
        answers = [_obey_one(dict(command), host) for host in chosen]
    except (ValueError, BadFault) as error:
        return {"event": "error", "error": str(error)}
    return {"event": "done", "cmd": command.get("cmd"), "phones": answers}


def _chosen(phone: object, hosts: Sequence[PhoneHost]) -> Sequence[PhoneHost]:
    if phone == "all":
        return hosts
    if isinstance(phone, int) and 0 <= phone < len(hosts):
        return [hosts[phone]]
    raise BadCommand(f"no phone {phone!r}; there are {len(hosts)}, counted from 0")


def _obey_one(command: dict[str, Any], host: PhoneHost) -> dict[str, Any]:
    match command.pop("cmd", None):
        case "fault":
            host.set_fault(command)
        case "restore":
            host.restore()
        case "reset":
            host.phone.reset(command.get("seed"))
        case "state":
            pass
        case other:
            raise BadCommand(f"unknown cmd {other!r}; known: fault, reset, restore, state")
    return {
        "serial": host.serial,
        "boot_id": host.phone.boot_id,
        "is_listening": host.adbd.is_listening,
        "is_hung": host.adbd.is_hung,
        "links": len(host.adbd.links),
    }
