"""Is a phone fit? Probes from the link up to the eyes, each with its own deadline; and a simple way to mend a TCP link.

"device" in adb's list is not health: a phone whose daemon accepts and stays silent is listed as well as any other.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from devices.adb_link import AdbLink
from devices.base import Health
from devices.commands import build
from devices.errors import AdbServerError, DeviceError, DeviceUnavailable

PROBE_TIMEOUT_S = 5.0
SERVICES_TIMEOUT_S = 8.0
RELINK_WAIT_S = 20.0


class _Unfit(Exception):
    """A probe got an answer, and it is not a healthy one."""


def check(link: AdbLink, take_picture: Callable[[], object]) -> Health:
    """Run all probes. Behind a dead link or shell the others cannot pass and are not tried.

    `take_picture` raises ScreenshotError for anything but a whole picture.
    """
    failed: list[str] = []
    messages: list[str] = []
    probes: dict[str, Callable[[], object]] = {
        "link": lambda: _probe_link(link),
        "shell": lambda: _probe_shell(link),
        "boot": lambda: _probe_boot(link),
        "services": lambda: _probe_services(link),
        "eyes": take_picture,
    }
    for name, probe in probes.items():
        try:
            probe()
        except (_Unfit, DeviceError) as error:
            failed.append(name)
            messages.append(f"{name}: {error}")
            if name in ("link", "shell"):
                break
    return Health(fit=not failed, failed=tuple(failed), message="; ".join(messages))


def read_boot_id(link: AdbLink) -> str:
    """A text that changes with each start of the phone; empty where it may not be read."""
    path = "/proc/sys/kernel/random/boot_id"
    return link.shell(build("cat", path), timeout_s=PROBE_TIMEOUT_S, is_read_only=True).stdout.strip()


def relink(link: AdbLink, wait_s: float = RELINK_WAIT_S) -> bool:
    """Disconnect and connect a TCP phone, then ask its shell until it answers or `wait_s` is over.

    What adb says to `connect` is not believed ("already connected" is said of dead links too), and one that was refused
    is tried again: the phone may listen a moment later. A USB link mends itself; it is only asked.
    """
    end = time.monotonic() + wait_s
    is_tcp = ":" in link.serial
    try:
        if is_tcp:
            link.relink()
        while not _answers(link):
            if time.monotonic() > end:
                return False
            time.sleep(0.5)
            if is_tcp:
                link.server.connect(link.serial)
    except AdbServerError:
        return False
    return True


def _answers(link: AdbLink) -> bool:
    try:
        _probe_shell(link)
    except AdbServerError:
        raise
    except (_Unfit, DeviceUnavailable):
        return False
    return True


def _probe_link(link: AdbLink) -> None:
    state = link.link_state()
    if state != "device":
        raise _Unfit(f"adb calls it {state!r}")


def _probe_shell(link: AdbLink) -> None:
    """The shell must give back a number it cannot know."""
    nonce = secrets.token_hex(8)
    answer = link.shell(build("echo", nonce), timeout_s=PROBE_TIMEOUT_S, is_read_only=True)
    if answer.code != 0 or answer.stdout.strip() != nonce:
        raise _Unfit(f"the shell answered {answer.stdout[:80]!r} with exit code {answer.code}")


def _probe_boot(link: AdbLink) -> None:
    names = ("sys.boot_completed", "dev.bootcomplete", "init.svc.bootanim")
    command = "; ".join(build("getprop", name) for name in names)
    values = link.shell(command, timeout_s=PROBE_TIMEOUT_S, is_read_only=True).stdout.split("\n")
    completed, also_completed, animation = [value.strip() for value in (*values, "", "", "")[:3]]
    # The last two are missing on some phones: only a wrong value counts.
    if completed != "1" or also_completed not in ("", "1") or animation not in ("", "stopped"):
        raise _Unfit(f"still starting (boot_completed {completed!r}, bootanim {animation!r})")


def _probe_services(link: AdbLink) -> None:
    packages = link.shell(build("pm", "path", "android"), timeout_s=SERVICES_TIMEOUT_S, is_read_only=True)
    if "package:" not in packages.stdout:
        raise _Unfit("the package manager does not answer")
    windows = link.shell(
        build("dumpsys", "-t", "5", "window", "displays"), timeout_s=SERVICES_TIMEOUT_S, is_read_only=True
    )
    if "mDisplayId=" not in windows.stdout:
        raise _Unfit("the window manager does not answer")
