"""One painter per kind of element: a function of what is visible to a picture of the element's size.

Opaque things are RGB and carry the page's background; what lies over other things is RGBA.
"""

from __future__ import annotations

from collections.abc import Mapping

from devices.simulated.painters import controls, rows, system
from devices.simulated.painters.pen import Painter

PAINTERS: Mapping[str, Painter] = {**system.PAINTERS, **rows.PAINTERS, **controls.PAINTERS}
