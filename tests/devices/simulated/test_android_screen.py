"""`screencap` and `wm`."""

from __future__ import annotations

import io
import struct

import pytest
from hands import run, text
from PIL import Image

from devices.simulated.android.screen import DISPLAY_ID
from devices.simulated.phone import Phone


def test_raw_capture_has_a_header_of_16_bytes_and_the_pixels_of_the_png():
    phone = Phone(0)
    raw, png = run(phone, "screencap").stdout, run(phone, "screencap", "-p").stdout
    assert struct.unpack_from("<4I", raw) == (1080, 2400, 1, 1)
    pixels = Image.frombytes("RGBA", (1080, 2400), raw[16:])
    assert pixels.convert("RGB").tobytes() == Image.open(io.BytesIO(png)).convert("RGB").tobytes()


def test_capture_into_a_file():
    phone = Phone(0)
    for argv in (("-p", "/sdcard/a"), ("/sdcard/b.png",)):
        assert text(phone, "screencap", *argv) == ""
        assert phone.files.read(argv[-1]) == run(phone, "screencap", "-p").stdout
    assert run(phone, "screencap", "/no/such/folder.png").status == 1


def test_capture_by_display_takes_the_physical_id_alone():
    phone = Phone(0)
    assert run(phone, "screencap", "-p", "-d", DISPLAY_ID).status == 0
    wrong = run(phone, "screencap", "-p", "-d", "0")
    assert wrong.status == 1 and wrong.stdout == b""
    assert text(phone, "dumpsys", "SurfaceFlinger", "--display-id") == (
        f'Display {DISPLAY_ID} (HWC display 0): port=0 pnpId=SIM displayName="panel0"\n'
    )


def test_secure_screen_says_so_on_stderr():
    phone = Phone(0)
    phone.apps["com.android.settings"].phone.open_page(_pin_page(phone))
    result = run(phone, "screencap", "-p")
    assert (result.status, result.stdout, result.stderr) == (1, b"", b"Failed to take screenshot. Status: -1\n")


def _pin_page(phone: Phone):
    from devices.simulated.apps.settings import ChoosePin

    return ChoosePin(phone.apps["com.android.settings"])


def test_size_and_density_with_and_without_override():
    phone = Phone(0)
    assert text(phone, "wm", "size") == "Physical size: 1080x2400\n"
    assert text(phone, "wm", "size", "720x1560") == ""
    assert text(phone, "wm", "size") == "Physical size: 1080x2400\nOverride size: 720x1560\n"
    assert text(phone, "wm", "density", "320") == ""
    assert text(phone, "wm", "density") == "Physical density: 440\nOverride density: 320\n"
    assert Image.open(io.BytesIO(run(phone, "screencap", "-p").stdout)).size == (720, 1560)
    run(phone, "wm", "size", "reset")
    run(phone, "wm", "density", "reset")
    assert text(phone, "wm", "size") == "Physical size: 1080x2400\n"
    assert text(phone, "wm", "density") == "Physical density: 440\n"


def test_size_never_swaps_with_rotation():
    phone = Phone(0)
    run(phone, "settings", "put", "system", "user_rotation", "1")
    run(phone, "wm", "size", "720x1560")
    assert text(phone, "wm", "size").endswith("Override size: 720x1560\n")
    assert Image.open(io.BytesIO(run(phone, "screencap", "-p").stdout)).size == (1560, 720)


def test_size_in_dp_and_absurd_sizes():
    phone = Phone(0)
    run(phone, "wm", "size", "360dpx780dp")
    assert phone.natural_size_px == (990, 2145)
    run(phone, "wm", "size", "99999x5")
    assert phone.natural_size_px == (2160, 200)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("size", "12"), b"Error: bad size 12\n"),
        (("density", "10"), b"Error: density must be >= 72\n"),
    ],
)
def test_errors_of_wm(argv, message):
    result = run(Phone(0), "wm", *argv)
    assert (result.status, result.stderr) == (255, message)


def test_user_rotation_is_told_and_set():
    phone = Phone(0)
    assert text(phone, "wm", "user-rotation") == "lock 0\n"
    text(phone, "wm", "user-rotation", "lock", "3")
    assert (phone.rotation, text(phone, "wm", "user-rotation")) == (3, "lock 3\n")
    text(phone, "wm", "user-rotation", "free")
    assert text(phone, "wm", "user-rotation") == "free\n"
