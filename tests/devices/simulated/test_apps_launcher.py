"""The home screen."""

from __future__ import annotations

from hands import screen, strip, tap

from devices.simulated.apps import installed_apps
from devices.simulated.phone import Phone


def test_every_installed_app_has_an_icon_that_opens_it():
    for kind in installed_apps():
        if not kind.is_home:
            phone = Phone(0)
            tap(phone, f"launcher.app.{kind.package.rsplit('.', 1)[-1]}")
            assert phone.page.app.package == kind.package


def test_icons_without_an_app_say_so_and_stay():
    phone = Phone(0)
    tap(phone, "launcher.app.camera")
    assert (screen(phone), phone.toast_text) == ("launcher/home", "Camera is not installed")


def test_recents_without_apps_goes_home():
    phone = Phone(0)
    tap(phone, "nav.recents")
    assert screen(phone) == "launcher/recents"
    tap(phone, "recents.clear")
    assert screen(phone) == "launcher/home" and strip(phone).find("launcher.app.notes")
