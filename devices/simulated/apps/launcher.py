"""The home screen: icons, dock, and the overview of recent apps."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from devices.simulated.layout import Builder
from devices.simulated.ui import App, Element, Page, Rect

if TYPE_CHECKING:
    from devices.simulated.phone import Phone

# Icons without an app behind them: slug, label, icon, colour.
_SHORTCUTS = {
    "clock": ("Clock", "clock", "#3f51b5"),
    "calendar": ("Calendar", "calendar", "#1e88e5"),
    "gallery": ("Gallery", "image", "#8e24aa"),
    "maps": ("Maps", "map", "#2e9e5b"),
    "music": ("Music", "music", "#d8437a"),
    "files": ("Files", "folder", "#d78a1d"),
    "phone": ("Phone", "phone", "#2e9e5b"),
    "messages": ("Messages", "message", "#1e88e5"),
    "browser": ("Browser", "globe", "#00897b"),
    "camera": ("Camera", "camera", "#455a64"),
}
_DOCK = ("phone", "messages", "browser", "camera")


def _short_name(app: App | type[App]) -> str:
    return app.package.rsplit(".", 1)[-1]


class Home(Page):
    """Icons in a grid, in the order that dragging left them in; four of them in the dock."""

    screen = "launcher/home"
    activity = ".Launcher"
    has_wallpaper = True

    def build(self, ui: Builder) -> None:
        metrics, dp = ui.metrics, ui.dp
        ui.place(Element("wallpaper", "", Rect(0, 0, metrics.width_px, metrics.height_px)))
        dock = Rect(dp(10), metrics.navigation_top - dp(108), metrics.width_px - dp(10), metrics.navigation_top - dp(2))
        ui.place(Element("dock", "", dock))
        launcher = _launcher(self.app)
        grid = Rect(dp(10), metrics.status_px + dp(16), metrics.width_px - dp(10), dock.top - dp(8))
        slugs = [slug for slug in launcher.order if slug not in _DOCK]
        rows = max(1, grid.height // dp(112))
        self._place(ui, slugs, grid, max(4, -(-len(slugs) // rows)))
        self._place(ui, list(_DOCK), dock, 4)

    def _place(self, ui: Builder, slugs: list[str], area: Rect, columns: int) -> None:
        width, height = area.width // columns, ui.dp(106)
        for index, slug in enumerate(slugs):
            left, top = area.left + index % columns * width, area.top + index // columns * ui.dp(112)
            label, icon, colour, handler = self._target(slug)
            bounds = Rect(left, top, left + width, top + height)
            element = Element("app_icon", f"launcher.app.{slug}", bounds, label, look=(icon, colour), on_tap=handler)
            element.on_drop = self._dropper(slug)
            ui.place(element)

    def _target(self, slug: str) -> tuple[str, str, str, Callable[[], None]]:
        app = next((a for a in self.phone.apps.values() if not a.is_home and _short_name(a) == slug), None)
        if app is not None:
            return app.label, app.icon, app.colour, self._starter(app)
        label, icon, colour = _SHORTCUTS[slug]
        return label, icon, colour, lambda: self.phone.toast(f"{label} is not installed")

    def _starter(self, app: App) -> Callable[[], None]:
        def start() -> None:
            self.phone.start_app(app)

        return start

    def _dropper(self, slug: str) -> Callable[[str], None]:
        def drop(target_key: str) -> None:
            order, target = _launcher(self.app).order, target_key.removeprefix("launcher.app.")
            if slug in order and target in order:
                a, b = order.index(slug), order.index(target)
                order[a], order[b] = order[b], order[a]

        return drop

    def go_back(self) -> None:
        """Nowhere to go."""


class Recents(Page):
    """Cards of the apps that are open, the last used first."""

    screen = "launcher/recents"
    activity = ".Recents"
    has_wallpaper = True

    def build(self, ui: Builder) -> None:
        metrics, dp = ui.metrics, ui.dp
        ui.place(Element("wallpaper", "", Rect(0, 0, metrics.width_px, metrics.height_px)))
        apps = [task.app for task in reversed(self.phone.tasks) if not task.app.is_home]
        label = "Clear all" if apps else "No recent apps"
        top = metrics.status_px + dp(12)
        bounds = Rect(dp(24), top, metrics.width_px - dp(24), top + dp(48))
        ui.place(Element("label", "recents.clear", bounds, label, look=(16,), on_tap=self._clear))
        for index, app in enumerate(apps):
            bounds = self._card(ui, index)
            look, key = (app.icon, app.colour), f"recents.card.{_short_name(app)}"
            ui.place(Element("task_card", key, bounds, app.label, "Tap to go on", look=look, on_tap=self._opener(app)))

    def _card(self, ui: Builder, index: int) -> Rect:
        """One below the other, in landscape two side by side."""
        metrics, gap = ui.metrics, ui.dp(16)
        columns = 1 if metrics.height_px >= metrics.width_px else 2
        width = (metrics.width_px - gap * (columns + 1)) // columns
        left = gap + index % columns * (width + gap)
        top = metrics.status_px + ui.dp(72) + index // columns * ui.dp(136)
        return Rect(left, top, left + width, top + ui.dp(120))

    def _opener(self, app: App) -> Callable[[], None]:
        return lambda: self.phone.bring_to_front(app.package)

    def _clear(self) -> None:
        for task in [t for t in self.phone.tasks if not t.app.is_home]:
            self.phone.tasks.remove(task)
        self.phone.home()


class Launcher(App):
    package = "com.android.launcher3"
    label = "Launcher"
    is_home = True
    pages = {".Launcher": Home, ".Recents": Recents}  # noqa: RUF012

    def __init__(self, phone: Phone) -> None:
        super().__init__(phone)
        self.order: list[str] = []

    def clear(self, random: Random) -> None:
        others = [_short_name(kind) for kind in self._others()]
        self.order = sorted(others) + list(_SHORTCUTS)

    def _others(self) -> list[type[App]]:
        from devices.simulated.apps import installed_apps

        return [kind for kind in installed_apps() if not kind.is_home]


def _launcher(app: App) -> Launcher:
    assert isinstance(app, Launcher)
    return app


APP = Launcher
