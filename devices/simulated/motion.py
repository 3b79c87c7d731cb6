"""Animations: for how long a new screen moves, and how many frames that draws."""

from __future__ import annotations

import math
from collections.abc import Callable

FRAMES_PER_SECOND = 60
_MAX_SCALE = 20.0


class Motion:
    """The animation under way on one phone. `duration_s` 0: nothing ever moves."""

    def __init__(self, duration_s: float, clock: Callable[[], float]) -> None:
        self.duration_s = duration_s
        self._clock = clock
        self._start_s = -math.inf
        self._scale = 1.0
        self._index = 0

    def begin(self, scale: str) -> None:
        """A new screen comes in. `scale` is the setting that stretches animations, 0 for none."""
        try:
            value = float(scale)
        except ValueError:
            value = 1.0
        self._scale = min(_MAX_SCALE, max(0.0, value)) if math.isfinite(value) else 1.0
        self._start_s, self._index = self._clock(), 0

    def stop(self) -> None:
        self._start_s = -math.inf

    @property
    def rest_s(self) -> float:
        """Seconds until everything has come to rest; 0 when it has."""
        return max(0.0, self._start_s + self.duration_s * self._scale - self._clock())

    @property
    def frames(self) -> int:
        """Drawn since the last screen began to move."""
        return int(min(self._clock() - self._start_s, self.duration_s * self._scale) * FRAMES_PER_SECOND)

    def next_index(self) -> int:
        """A number for the next capture while things move, 0 at rest.

        Counted as well as timed, so that two captures in a row never look the same.
        """
        if not self.rest_s:
            return 0
        self._index = max(self._index + 1, self.frames + 1)
        return self._index
