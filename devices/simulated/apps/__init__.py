"""The apps of a simulated phone. A module here with an `APP` (a kind of `ui.App`) is an app: one file each."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from devices.simulated.ui import App


@lru_cache(maxsize=1)
def installed_apps() -> tuple[type[App], ...]:
    """All apps, by module name."""
    names = sorted(module.name for module in iter_modules(__path__))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    return tuple(module.APP for module in modules if hasattr(module, "APP"))
