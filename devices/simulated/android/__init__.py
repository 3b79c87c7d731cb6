"""Android 13's commands, one file for each family. A handler gets the phone and its final arguments."""

from __future__ import annotations

from collections.abc import Mapping

from devices.simulated.android import (
    activity,
    content,
    dumpsys,
    ime,
    input,
    misc,
    packages,
    props,
    screen,
    settings,
    uiautomator,
)
from devices.simulated.command import Handler

_FAMILIES = (activity, content, dumpsys, ime, input, misc, packages, props, screen, settings, uiautomator)
COMMANDS: Mapping[str, Handler] = {name: handler for family in _FAMILIES for name, handler in family.COMMANDS.items()}
