"""Which phones there are: adb's list read, one entry a phone, selection by serial and tag.

A phone may be listed several times (USB, Wi-Fi, mDNS); its `ro.serialno` tells. Two tasks must never drive one
screen, so one entry is usable, USB before Wi-Fi, and the others say why they are not.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from devices.adb_link import AdbLink, ServerLink, adb_client, refusal
from devices.commands import build
from devices.errors import DeviceError

AUTHORIZING_WAIT_S = 4.0
"""How long a phone that is still exchanging keys is waited for."""
PROBE_TIMEOUT_S = 5.0
_AT_ONCE = 16

_MDNS_SERIAL = r"adb-\S+(?: \(\d+\))?\._adb[\w-]*\._tcp\.?"
_LINE = re.compile(rf"(?P<serial>{_MDNS_SERIAL}|\S+)\s+(?P<rest>\S.*)")
_FIELD = re.compile(r"(product|model|device|transport_id|usb):(\S*)")
_USB_PATH = re.compile(r"\d+-\d+(?:\.\d+)*")
_TCP_SERIAL = re.compile(r"(?:.+:\d+|adb-.*_tcp\.?)")
_NOISE = ("List of devices", "* daemon", "adb server", "error:", "adb: ", "WARNING")


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of adb's device list."""

    serial: str
    state: str
    """`device`, `offline`, `unauthorized`, `authorizing`, `no permissions`, …"""
    fields: Mapping[str, str] = field(default_factory=dict)
    """product, model, device, transport_id, usb."""
    detail: str = ""
    """What adb adds to a state in words."""

    @property
    def is_usb(self) -> bool:
        return "usb" in self.fields or not _TCP_SERIAL.fullmatch(self.serial)


@dataclass(frozen=True, slots=True)
class FoundPhone:
    """A phone as it can be used, or the reason why it cannot."""

    serial: str
    hardware_serial: str
    """Empty when the phone could not be asked."""
    state: str
    model: str
    usable: bool
    why: str = ""
    """Empty for a usable phone, else one sentence for the person at the rack."""
    is_usb: bool = True


def parse_devices(text: str) -> list[Listed]:
    """Read `host:devices-l`, or what `adb devices -l` prints."""
    listed = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found is not None and not line.startswith(_NOISE):
            listed.append(_listed(found["serial"], found["rest"]))
    return listed


def _listed(serial: str, rest: str) -> Listed:
    """The state comes first, may be several words with a link in brackets, and fields end the line."""
    words = rest.split()
    fields = {}
    while len(words) > 1 and (found := _FIELD.fullmatch(words[-1])) is not None:
        fields[found[1]] = found[2]
        words.pop()
    if len(words) > 1 and _USB_PATH.fullmatch(words[-1]):
        fields["usb"] = words.pop()
    state = "no permissions" if words[:2] == ["no", "permissions"] else words[0]
    return Listed(serial, state, fields, " ".join(words).removeprefix(state).strip())


def discover(server_port: int | None = None, *, adb_path: Path | None = None) -> list[FoundPhone]:
    """All phones the adb server lists, usable or not. A phone that hangs costs PROBE_TIMEOUT_S, for all together.

    Raises:
        AdbServerError: the server does not answer.
    """
    client = adb_client(server_port, adb_path)
    server = ServerLink(client)
    listed = _list_when_authorized(server)
    with ThreadPoolExecutor(_AT_ONCE, "discover") as pool:
        links = [AdbLink(entry.serial, client, timeout_s=PROBE_TIMEOUT_S) for entry in listed]
        return one_per_phone(list(pool.map(_found, listed, links)))


def _list_when_authorized(server: ServerLink) -> list[Listed]:
    end = time.monotonic() + AUTHORIZING_WAIT_S
    while True:
        listed = parse_devices(server.ask("host:devices-l"))
        if time.monotonic() > end or all(entry.state not in ("authorizing", "connecting") for entry in listed):
            return listed
        time.sleep(0.3)


def _found(entry: Listed, link: AdbLink) -> FoundPhone:
    """Ask one phone for its hardware serial; that it answers is half of being usable."""
    hardware_serial, why = "", _why_not(entry)
    if not why:
        try:
            answer = link.shell(build("getprop", "ro.serialno"), is_read_only=True)
            hardware_serial = answer.stdout.strip() or entry.serial
        except DeviceError as error:
            why = f"listed, but does not answer: {error.message}"
    model = entry.fields.get("model", "")
    return FoundPhone(entry.serial, hardware_serial, entry.state, model, not why, why, entry.is_usb)


def _why_not(entry: Listed) -> str:
    if entry.state == "device":
        return ""
    if entry.state in ("unauthorized", "no permissions"):
        return refusal(entry.serial, f"{entry.state} {entry.detail}".strip()).message
    if entry.state == "authorizing":
        return "still exchanging keys; look for a dialog on the phone's screen"
    return f"adb calls it {entry.state}"


def one_per_phone(phones: Sequence[FoundPhone]) -> list[FoundPhone]:
    """Of the usable entries with one hardware serial keep the best: USB, then a plain address, then an mDNS name."""
    best: dict[str, FoundPhone] = {}
    for phone in phones:
        if phone.usable:
            rival = best.get(phone.hardware_serial)
            if rival is None or _preference(phone) < _preference(rival):
                best[phone.hardware_serial] = phone
    return [_unless_better(phone, best.get(phone.hardware_serial)) for phone in phones]


def _preference(phone: FoundPhone) -> tuple[bool, bool]:
    return (not phone.is_usb, "_tcp" in phone.serial)


def _unless_better(phone: FoundPhone, best: FoundPhone | None) -> FoundPhone:
    if not phone.usable or best is None or phone is best:
        return phone
    return replace(phone, usable=False, why=f"the same phone as {best.serial}")


def select(
    phones: Iterable[FoundPhone],
    serials: Literal["all"] | Sequence[str] = "all",
    *,
    tags: Mapping[str, Sequence[str]] | None = None,
    required_tags: Iterable[str] = (),
) -> list[FoundPhone]:
    """Usable phones among `serials` (adb or hardware serials) that carry all of `required_tags`.

    `tags` maps an adb or hardware serial to its tags.
    """
    required = set(required_tags)
    return [
        phone
        for phone in phones
        if phone.usable and (serials == "all" or _is_named(phone, serials)) and required <= tags_of(phone, tags or {})
    ]


def tags_of(phone: FoundPhone, tags: Mapping[str, Sequence[str]]) -> set[str]:
    """The tags given to a phone under either of its serials."""
    return {*tags.get(phone.serial, ()), *tags.get(phone.hardware_serial, ())}


def _is_named(phone: FoundPhone, serials: Sequence[str]) -> bool:
    return phone.serial in serials or phone.hardware_serial in serials


def connect_all(
    server_port: int | None, addresses: Sequence[str], *, adb_path: Path | None = None, timeout_s: float = 12.0
) -> dict[str, str]:
    """`adb connect` each host:port, side by side. Address → "" when connected, else adb's words.

    A phone that is connected already but does not answer is connected anew.
    """
    client = adb_client(server_port, adb_path)

    def connect(address: str) -> str:
        server = ServerLink(client, who=address)
        try:
            said = server.connect(address, timeout_s)
            if said.startswith("already connected") and not _answers(AdbLink(address, client)):
                server.disconnect(address)
                said = server.connect(address, timeout_s)
        except DeviceError as error:
            return error.message
        return "" if said.startswith(("connected to", "already connected")) else said

    with ThreadPoolExecutor(_AT_ONCE, "connect") as pool:
        return dict(zip(addresses, pool.map(connect, addresses), strict=True))


def _answers(link: AdbLink) -> bool:
    try:
        return link.shell(build("echo", "here"), timeout_s=PROBE_TIMEOUT_S, is_read_only=True).stdout.strip() == "here"
    except DeviceError:
        return False
