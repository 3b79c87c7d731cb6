"""Who a phone is: one command, one reading."""

from __future__ import annotations

import re

from devices.base import DeviceInfo, WindowSize

IDENTITY_COMMAND = "getprop; wm size; wm density; cat /proc/sys/kernel/random/boot_id 2>/dev/null"

_PROPERTY = re.compile(r"^\[([^\]]+)\]: \[(.*)\]\r?$", re.MULTILINE)
_SIZE = re.compile(r"(Physical|Override) size: (\d+)x(\d+)")
_DENSITY = re.compile(r"(Physical|Override) density: (\d+)")
_BOOT_ID = re.compile(r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\r?$", re.MULTILINE)
_EXTRA = ("ro.product.manufacturer", "ro.product.brand", "ro.build.version.incremental")


class NotReadable(ValueError):
    """The phone does not say what it must: it is still starting, or no Android phone."""


def parse_identity(text: str, serial: str) -> DeviceInfo:
    """Read the answer to IDENTITY_COMMAND. A size override replaces the physical size.

    Raises:
        NotReadable: no Android version or no screen size.
    """
    properties = dict(_PROPERTY.findall(text))
    sizes = {kind: WindowSize(int(width), int(height)) for kind, width, height in _SIZE.findall(text)}
    densities = {kind: int(density) for kind, density in _DENSITY.findall(text)}
    boot_id = _BOOT_ID.search(text)
    sdk = properties.get("ro.build.version.sdk", "")
    if not sdk.isdigit() or not sizes:
        missing = "screen size" if sdk.isdigit() else "Android version"
        raise NotReadable(f"the phone does not say its {missing}; is it still starting?")
    return DeviceInfo(
        serial=serial,
        hardware_serial=properties.get("ro.serialno") or properties.get("ro.boot.serialno") or serial,
        model=properties.get("ro.product.model", ""),
        android_version=properties.get("ro.build.version.release", ""),
        sdk=int(sdk),
        fingerprint=properties.get("ro.build.fingerprint", ""),
        size=sizes.get("Override") or sizes["Physical"],
        density=densities.get("Override") or densities.get("Physical", 0),
        locale=properties.get("persist.sys.locale") or properties.get("ro.product.locale", ""),
        time_zone=properties.get("persist.sys.timezone", ""),
        boot_id=boot_id[0].strip() if boot_id else "",
        is_simulated=properties.get("ro.simulated") == "1",
        extra={key: properties[key] for key in _EXTRA if key in properties},
    )
