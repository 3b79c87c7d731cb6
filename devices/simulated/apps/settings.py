"""The Settings app: a long list and its sub pages. All values live in the phone's settings tables, as on Android."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from devices.simulated import defaults
from devices.simulated.layout import Builder
from devices.simulated.ui import App, Choice, Dialog, Page, PageMaker, TextField

# slug, title, detail, icon, colour of its disc.
_ROWS = (
    ("network", "Network & internet", "Wi-Fi, aeroplane mode", "wifi", "#2f6fed"),
    ("bluetooth", "Bluetooth", "Off", "bluetooth", "#2f6fed"),
    ("connected", "Connected devices", "Pairing, driving mode", "devices", "#2f6fed"),
    ("apps", "Apps", "Recent apps, default apps", "apps", "#e07b39"),
    ("notifications", "Notifications", "History, conversations", "bell", "#e05252"),
    ("battery", "Battery", "83%", "battery", "#2e9e5b"),
    ("storage", "Storage", "41% used - 75 GB free", "storage", "#8a5cd1"),
    ("sound", "Sound & vibration", "Volume, haptics", "sound", "#8a5cd1"),
    ("display", "Display", "Dark theme, screen timeout, brightness", "display", "#d98a1f"),
    ("wallpaper", "Wallpaper & style", "Colours, themed icons", "image", "#d8437a"),
    ("accessibility", "Accessibility", "Display, interaction, audio", "user", "#2f6fed"),
    ("security", "Security", "Screen lock, PIN", "lock", "#2e9e5b"),
    ("privacy", "Privacy", "Permissions, account activity", "shield", "#2f6fed"),
    ("location", "Location", "On - 2 apps have access", "map", "#2e9e5b"),
    ("safety", "Safety & emergency", "Emergency SOS, medical info", "heart", "#e05252"),
    ("passwords", "Passwords & accounts", "Saved passwords, autofill", "key", "#d98a1f"),
    ("digital-wellbeing", "Digital Wellbeing", "Screen time, app timers", "clock", "#2e9e5b"),
    ("services", "Services", "Preferences of services", "globe", "#2f6fed"),
    ("languages", "Languages & input", "English (United States)", "language", "#5f6470"),
    ("gestures", "Gestures", "System navigation", "gesture", "#5f6470"),
    ("date-time", "Date & time", "UTC", "calendar", "#5f6470"),
    ("backup", "Backup", "Off", "backup", "#5f6470"),
    ("printing", "Printing", "No print services", "print", "#5f6470"),
    ("users", "Multiple users", "Signed in as Owner", "user", "#5f6470"),
    ("developer", "Developer options", "USB debugging is on", "code", "#5f6470"),
    ("reset", "Reset options", "Network, apps or device", "gear", "#5f6470"),
    ("tips", "Tips & support", "Help articles", "bulb", "#8a5cd1"),
    ("about", "About phone", "", "info", "#5f6470"),
)
_TIMEOUTS = {
    15000: "15 seconds",
    30000: "30 seconds",
    60000: "1 minute",
    120000: "2 minutes",
    300000: "5 minutes",
    600000: "10 minutes",
    1800000: "30 minutes",
}


class SettingsPage(Page):
    """A page with switches that stand for settings."""

    def switch(
        self, ui: Builder, key: str, title: str, detail: str, at: tuple[str, str], icon: str = "", on: str = "1"
    ) -> None:
        """A row whose switch is setting `at` (namespace, key); `on` is its value when switched on."""
        off = "1" if on == "2" else "0"
        is_on = self.phone.setting(*at) == on
        ui.row(key, title, detail, icon=icon, checked=is_on,
               handler=lambda: self.phone.put_setting(*at, off if is_on else on))  # fmt: skip


class Home(Page):
    screen = "settings/home"
    activity = ".Settings"

    def build(self, ui: Builder) -> None:
        ui.app_bar("Settings")
        for slug, title, detail, icon, colour in _ROWS:
            if slug == "about":
                detail = self.phone.setting("global", "device_name")
            ui.row(f"settings.row.{slug}", title, detail, icon=icon, colour=colour, handler=self._opener(slug, title))

    def _opener(self, slug: str, title: str) -> Callable[[], None]:
        kind = _SUB_PAGES.get(slug)
        return lambda: self.open(kind(self.app) if kind else Information(self.app, slug, title))


class Information(Page):
    """A sub page without anything to change."""

    activity = ".SubSettings"

    def __init__(self, app: App, slug: str = "more", title: str = "More") -> None:
        super().__init__(app)
        self.slug, self.title = slug, title

    @property
    def screen_id(self) -> str:
        return f"settings/{self.slug}"

    def build(self, ui: Builder) -> None:
        ui.app_bar(self.title, back=True)
        ui.row("", "Status", "Managed by the system", icon="info")
        ui.row("", "More information", "Nothing to set up here", icon="bulb")


class Network(SettingsPage):
    screen = "settings/network"
    activity = ".NetworkSettings"

    def build(self, ui: Builder) -> None:
        ui.app_bar("Network & internet", back=True)
        wifi_on = self.phone.setting("global", "wifi_on") == "1"
        detail = "Connected to Home" if wifi_on else "Off"
        self.switch(ui, "settings.network.wifi", "Wi-Fi", detail, ("global", "wifi_on"), "wifi")
        ui.row("", "SIMs", "No SIM card", icon="phone")
        airplane = ("global", "airplane_mode_on")
        self.switch(ui, "settings.network.airplane", "Aeroplane mode", "", airplane, "airplane")
        ui.row("", "Hotspot & tethering", "Off", icon="devices")
        ui.row("", "VPN", "None", icon="key")


class Display(SettingsPage):
    screen = "settings/display"
    activity = ".DisplaySettings"

    def build(self, ui: Builder) -> None:
        ui.app_bar("Display", back=True)
        fraction = min(1.0, self.phone.number_setting("system", "screen_brightness", 102) / 255)
        ui.slider("settings.display.brightness", f"Brightness level - {round(fraction * 100)}%", fraction, self._dim)
        night = ("secure", "ui_night_mode")
        self.switch(ui, "settings.display.dark", "Dark theme", "Easier on the eyes at night", night, on="2")
        timeout = self._timeout_label()
        ui.row("settings.display.timeout", "Screen timeout", timeout, handler=self._ask_timeout, mark="chevron")
        rotate = ("system", "accelerometer_rotation")
        self.switch(ui, "settings.display.rotate", "Auto-rotate screen", "", rotate)
        ui.row("", "Font size", "Default")
        ui.row("", "Display size", "Default")

    def _dim(self, part: float) -> None:
        self.phone.put_setting("system", "screen_brightness", str(min(255, max(1, round(part * 255)))))

    def _timeout_label(self) -> str:
        value = self.phone.number_setting("system", "screen_off_timeout", 60000)
        return f"After {_TIMEOUTS.get(value, f'{value} ms')} of inactivity"

    def _ask_timeout(self) -> None:
        now = self.phone.setting("system", "screen_off_timeout")
        options = [
            Choice(f"dialog.option.{ms}", label, self._timeout_setter(ms), now == str(ms))
            for ms, label in _TIMEOUTS.items()
        ]
        self.dialog = Dialog("timeout", "Screen timeout", options=options, buttons=[Choice("dialog.cancel", "Cancel")])

    def _timeout_setter(self, ms: int) -> Callable[[], None]:
        return lambda: self.phone.put_setting("system", "screen_off_timeout", str(ms))


class Sound(SettingsPage):
    screen = "settings/sound"
    activity = ".SoundSettings"

    def build(self, ui: Builder) -> None:
        ui.app_bar("Sound & vibration", back=True)
        fraction = min(1.0, self.phone.number_setting("system", "volume_music", 5) / 15)
        ui.slider("settings.sound.media", "Media volume", fraction, self._set_volume)
        vibrate, touch = ("system", "vibrate_when_ringing"), ("system", "sound_effects_enabled")
        self.switch(ui, "settings.sound.vibrate", "Vibrate for calls", "", vibrate)
        self.switch(ui, "settings.sound.touch", "Touch sounds", "", touch)

    def _set_volume(self, part: float) -> None:
        self.phone.put_setting("system", "volume_music", str(min(15, max(0, round(part * 15)))))


class Security(SettingsPage):
    screen = "settings/security"
    activity = ".SecuritySettings"

    def build(self, ui: Builder) -> None:
        ui.app_bar("Security", back=True)
        lock = "PIN" if self.phone.lock.pin else "Swipe" if self.phone.lock.is_enabled else "None"
        ui.row("settings.security.pin", "Screen lock", lock, icon="lock", handler=self._choose, mark="chevron")
        show = ("secure", "show_password")
        self.switch(ui, "settings.security.show", "Show passwords", "Characters as you type", show, "key")

    def _choose(self) -> None:
        self.open(ChoosePin(self.app))


class ChoosePin(Page):
    """May not be captured."""

    screen = "settings/pin"
    activity = ".ChoosePin"
    is_secure = True

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.fields["pin"] = TextField("pin", is_password=True, hint="At least 4 digits")

    def build(self, ui: Builder) -> None:
        ui.app_bar("Set screen lock", back=True)
        ui.paragraph("", "Choose a PIN of 4 digits or more.")
        ui.field("settings.pin.field", "pin", "PIN")
        ui.button("settings.pin.save", "Save", self._save)

    def _save(self) -> None:
        pin = self.fields["pin"].text
        if len(pin) < 4 or not pin.isascii() or not pin.isdecimal():
            self.phone.toast("A PIN has at least 4 digits")
            return
        self.phone.lock.pin, self.phone.lock.is_enabled = pin, True
        self.phone.close_page()
        self.phone.toast("Screen lock set")


class About(Page):
    screen = "settings/about"
    activity = ".AboutPhone"

    def build(self, ui: Builder) -> None:
        phone = self.phone
        ui.app_bar("About phone", back=True)
        name = phone.setting("global", "device_name")
        ui.row("settings.about.name", "Device name", name, handler=self._rename, mark="chevron")
        ui.row("settings.about.model", "Model", defaults.MODEL)
        ui.row("settings.about.version", "Android version", phone.props["ro.build.version.release"])
        ui.row("", "Android security update", phone.props["ro.build.version.security_patch"])
        ui.row("", "Build number", defaults.BUILD)
        ui.row("settings.about.serial", "Serial number", phone.hardware_serial)

    def _rename(self) -> None:
        self.open(DeviceName(self.app))


class DeviceName(Page):
    screen = "settings/name"
    activity = ".DeviceName"

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.fields["name"] = TextField("name", self.phone.setting("global", "device_name"), on_enter=self._save)

    def build(self, ui: Builder) -> None:
        ui.app_bar("Device name", back=True)
        ui.paragraph("", "Other devices see this name over Bluetooth and Wi-Fi.")
        ui.field("settings.name.field", "name", "Device name")
        ui.button("settings.name.save", "Save", self._save)

    def _save(self) -> None:
        name = self.fields["name"].text.strip()
        if not name:
            self.phone.toast("A name is needed")
            return
        self.phone.put_setting("global", "device_name", name)
        self.phone.close_page()
        self.phone.toast("Device name saved")


_SUB_PAGES: dict[str, type[Page]] = {
    "network": Network,
    "display": Display,
    "sound": Sound,
    "security": Security,
    "about": About,
}


_PAGES: dict[str, PageMaker] = {Home.activity: Home, Information.activity: Information}
_PAGES.update((kind.activity, kind) for kind in _SUB_PAGES.values())


class Settings(App):
    package = "com.android.settings"
    label = "Settings"
    icon = "gear"
    colour = "#5f6470"
    pages = _PAGES
    private_activities = (".ChoosePin", ".DeviceName")
    actions: ClassVar[dict[str, str]] = {
        "android.settings.SETTINGS": ".Settings",
        "android.settings.WIFI_SETTINGS": ".NetworkSettings",
        "android.settings.WIRELESS_SETTINGS": ".NetworkSettings",
        "android.settings.AIRPLANE_MODE_SETTINGS": ".NetworkSettings",
        "android.settings.DISPLAY_SETTINGS": ".DisplaySettings",
        "android.settings.SOUND_SETTINGS": ".SoundSettings",
        "android.settings.SECURITY_SETTINGS": ".SecuritySettings",
        "android.settings.DEVICE_INFO_SETTINGS": ".AboutPhone",
    }


APP = Settings
