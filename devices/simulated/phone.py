"""One simulated phone: apps and their back stacks, settings, keyboard, lock, rotation, and what its screen shows.

State changes only through the methods here, in `touch.py` and in `keys.py`, each of which ends in `changed()`. Reading
the screen (`view`, `capture`) never changes state.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from random import Random
from typing import Literal

from devices.simulated import defaults
from devices.simulated.apps import installed_apps
from devices.simulated.command import Handler
from devices.simulated.draw import CAPTURES
from devices.simulated.files import VirtualFiles
from devices.simulated.keyboard import LATIN_IME, KeyboardState
from devices.simulated.layout import ADB_KEYBOARD_DP, KEYBOARD_DP, Metrics
from devices.simulated.lockscreen import Lock
from devices.simulated.motion import Motion
from devices.simulated.screen import View, compose, in_motion
from devices.simulated.ui import App, Page, Task

BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id"


class Phone:
    """A phone that is on, unlocked and on its home screen. `index` 0 has the serial SIM0001.

    `animation_s`: how long screen changes and toasts keep moving; 0 means not at all. `strip`: draw the strip that
    tells a program what is on the screen. `clock` gives seconds and is used for animations and double taps only.
    """

    def __init__(
        self,
        index: int,
        *,
        seed: int = 0,
        strip: bool = True,
        animation_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        from devices.simulated.android import COMMANDS

        self.index = index
        self.hardware_serial = f"SIM{index + 1:04d}"
        self.strip = strip
        self.clock = clock
        self.motion = Motion(animation_s, clock)
        self.commands: Mapping[str, Handler] = COMMANDS
        self.faults: object | None = None
        self.props = defaults.properties(self.hardware_serial)
        self.boot_count = 0
        self.boot_id = ""
        self.files = VirtualFiles()
        self._view: View | None = None
        self._signature: object = None
        self._moving_app: App | None = None
        self.reset(seed)

    # -- beginning again -----------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> None:
        """Everything as it was at first (settings, apps, rotation, lock, keyboard, files); None keeps the seed."""
        if seed is not None:
            self.seed = seed
        self.settings = defaults.settings_tables()
        self.size_override: tuple[int, int] | None = None
        self.density_override: int | None = None
        self.lock = Lock()
        self.battery_level = 83
        self.clipboard = ""
        self.files = VirtualFiles()
        self.tasks: list[Task] = []
        self.apps: dict[str, App] = {}
        for kind in installed_apps():
            app = self.apps[kind.package] = kind(self)
            app.clear(self.random_for(app))
        if not self.boot_id:
            self._boot()
        self._show_boot_id()
        self._start_up()
        self.changed()
        self.motion.stop()
        self._moving_app = None

    def reboot(self) -> None:
        """A restart: apps end, the boot id changes, the lock screen shows; settings and data stay."""
        self._boot()
        self._show_boot_id()
        self.put_setting("global", "boot_count", str(self.boot_count))
        self._start_up()
        self.lock.show()
        self.changed()

    def _boot(self) -> None:
        """A new boot id. A reset is none: whoever compares ids must not see a restart."""
        self.boot_count += 1
        self.boot_id = str(
            uuid.UUID(int=Random(f"{self.hardware_serial}/{self.boot_count}").getrandbits(128), version=4)
        )

    def _show_boot_id(self) -> None:
        self.files.write(BOOT_ID_FILE, f"{self.boot_id}\n".encode())

    def _start_up(self) -> None:
        self.is_awake = True
        self.is_shade_open = False
        self.toast_text = ""
        self.keyboard = KeyboardState()
        self.finger: tuple[float, float] | None = None
        self.last_tap: tuple[str, float] = ("", float("-inf"))
        self.home_app = next(app for app in self.apps.values() if app.is_home)
        self.tasks = []
        self.home()

    def random_for(self, app: App) -> Random:
        """The source of all that differs between phones of different seeds."""
        return Random(f"{self.seed}/{app.package}")

    # -- settings ------------------------------------------------------------------------------------------------

    def setting(self, namespace: str, key: str, default: str = "") -> str:
        return self.settings[namespace].get(key, default)

    def number_setting(self, namespace: str, key: str, default: int) -> int:
        """A setting as a number from 0 up; `default` when it is none."""
        value = self.setting(namespace, key)
        return int(value) if value.isascii() and value.isdecimal() and len(value) < 12 else default

    def put_setting(self, namespace: str, key: str, value: str | None) -> None:
        """None deletes."""
        if value is None:
            self.settings[namespace].pop(key, None)
        else:
            self.settings[namespace][key] = value
        self.changed()

    @property
    def input_method(self) -> str:
        return self.setting("secure", "default_input_method", LATIN_IME)

    @property
    def is_dark(self) -> bool:
        return self.setting("secure", "ui_night_mode") == "2"

    @property
    def rotation(self) -> int:
        """0–3. With auto-rotation on the phone lies upright."""
        if self.setting("system", "accelerometer_rotation") == "1":
            return 0
        return self.number_setting("system", "user_rotation", 0) % 4

    @property
    def natural_size_px(self) -> tuple[int, int]:
        return self.size_override or (defaults.WIDTH_PX, defaults.HEIGHT_PX)

    @property
    def density(self) -> int:
        return self.density_override or defaults.DENSITY

    @property
    def metrics(self) -> Metrics:
        width, height = self.natural_size_px
        if self.rotation % 2:
            width, height = height, width
        keyboard_dp = 0
        if self.is_keyboard_up:
            keyboard_dp = KEYBOARD_DP if self.input_method == LATIN_IME else ADB_KEYBOARD_DP
        return Metrics(width, height, self.density, keyboard_dp)

    # -- pages and tasks -----------------------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """The one in front."""
        return self.tasks[-1]

    @property
    def page(self) -> Page:
        return self.tasks[-1].pages[-1]

    @property
    def has_input(self) -> bool:
        """The app in front gets what is typed."""
        return self.is_awake and not self.lock.is_showing and not self.is_shade_open and self.page.dialog is None

    @property
    def is_keyboard_up(self) -> bool:
        page = self.page
        return self.has_input and page.focused_field is not None and not page.is_keyboard_hidden

    def task_of(self, package: str) -> Task | None:
        return next((task for task in self.tasks if task.app.package == package), None)

    def open_page(self, page: Page) -> None:
        """Put a page on top of its app's task, which comes to the front."""
        task = self.task_of(page.app.package)
        if task is None:
            task = Task(page.app)
            self.tasks.append(task)
        self._bring(task)
        task.pages.append(page)
        self.keyboard = KeyboardState()
        self.changed()

    def close_page(self) -> None:
        """Leave the page in front; from an app's last page it goes home."""
        task = self.task
        if task.app.is_home:
            del task.pages[1:]
        else:
            task.pages.pop()
            if not task.pages:
                self.tasks.remove(task)
                self.home()
        self.keyboard = KeyboardState()
        self.changed()

    def start_app(self, app: App, activity: str | None = None) -> Literal["started", "front", "delivered"]:
        """Start an app's activity (None: the main one), or bring its task to the front as it is.

        "front": the task was brought to the front. "delivered": it was there already. Raises KeyError for an unknown
        activity.
        """
        activity = activity or app.main_activity
        make_page = app.pages[activity]
        task = self.task_of(app.package)
        if app.is_home:
            self.home()
            return "delivered"
        if task is not None and activity in (app.main_activity, task.pages[-1].activity):
            outcome: Literal["front", "delivered"] = "delivered" if task is self.task else "front"
            self._bring(task)
            self.changed()
            return outcome
        self.is_shade_open = False
        self.open_page(make_page(app))
        return "started"

    def bring_to_front(self, package: str) -> None:
        """The app's task as it was left."""
        task = self.task_of(package)
        if task is not None:
            self._bring(task)
            self.changed()

    def stop_app(self, package: str) -> None:
        """Force-stop: its pages are gone; its data stays."""
        task = self.task_of(package)
        if task is None:
            return
        was_in_front = task is self.task
        self.tasks.remove(task)
        if was_in_front or not self.tasks:
            self.home()
        self.changed()

    def _bring(self, task: Task) -> None:
        for other in self.tasks:
            if other is not task and other.app.is_home:
                del other.pages[1:]
        self.tasks.remove(task)
        self.tasks.append(task)

    def home(self) -> None:
        task = self.task_of(self.home_app.package)
        if task is None:
            make_page = self.home_app.pages[self.home_app.main_activity]
            task = Task(self.home_app, [make_page(self.home_app)])
            self.tasks.append(task)
        del task.pages[1:]
        self.tasks.remove(task)
        self.tasks.append(task)
        self.is_shade_open = False
        self.changed()

    def back(self) -> None:
        """What the BACK key does: shade, PIN pad, dialog, keyboard, page, in this order."""
        page = self.page
        if self.lock.is_showing:
            self.lock.show()
        elif self.is_shade_open:
            self.is_shade_open = False
        elif page.dialog is not None:
            page.dialog = None
        elif self.is_keyboard_up:
            page.is_keyboard_hidden = True
        else:
            page.go_back()
        self.changed()

    def show_recents(self) -> None:
        self.home()
        self.task.pages.append(self.home_app.pages[".Recents"](self.home_app))
        self.changed()

    # -- screen and lock -----------------------------------------------------------------------------------------

    def sleep(self) -> None:
        if self.is_awake:
            self.is_awake = False
            self.lock.show()
            self.changed()

    def wake(self) -> None:
        if not self.is_awake:
            self.is_awake = True
            self.changed()

    def toast(self, text: str) -> None:
        """A toast stays until the next input; a clock would make pictures depend on luck."""
        self.toast_text = text
        self.changed()

    # -- what it looks like --------------------------------------------------------------------------------------

    def changed(self) -> None:
        """State has changed: the next look is built anew, and a new screen starts to move."""
        self._view = None
        if not self.tasks:
            return
        app, page = self.task.app, self.page
        app.frames += 1
        dialog = page.dialog.id if page.dialog else ""
        signature = (page, dialog, self.toast_text, self.lock.is_showing, self.is_awake, self.is_shade_open)
        if signature != self._signature:
            self._signature = signature
            if self._moving_app is not None:
                self._moving_app.frames += self.motion.frames
            self._moving_app = app
            self.motion.begin(self.setting("global", "transition_animation_scale", "1"))

    @property
    def rest_s(self) -> float:
        """Seconds until the screen has come to rest; 0 when it has."""
        return self.motion.rest_s

    def frames(self, app: App) -> int:
        """Frames the app has drawn; rises while its screen moves."""
        return app.frames + (self.motion.frames if app is self._moving_app else 0)

    def view(self) -> View:
        """What is on the screen, laid out."""
        if self._view is None:
            self._view = compose(self)
        return self._view

    @property
    def is_secure(self) -> bool:
        """A page that may not be captured is on the screen."""
        return self.is_awake and not self.lock.is_showing and self.page.is_secure

    def capture(self, form: Literal["png", "raw"] = "png") -> bytes | None:
        """The screen as PNG, or raw as `screencap` gives it. None when it may not be captured."""
        if self.is_secure:
            return None
        scene = self.view().scene
        assert scene is not None
        moving = self.motion.next_index()
        if moving:
            scene = in_motion(scene, moving)
        return CAPTURES.png(scene) if form == "png" else CAPTURES.raw(scene)
