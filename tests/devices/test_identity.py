"""Who a phone is, from one command."""

from pathlib import Path

import pytest

from devices.base import WindowSize
from devices.identity import NotReadable, parse_identity

INPUTS = Path(__file__).parents[1] / "cases" / "inputs"
PROPERTIES = """[ro.build.version.release]: [13]
[ro.build.version.sdk]: [33]
[ro.product.model]: [Demo [7a] ]
[ro.serialno]: [HW0001]
[persist.sys.locale]: [zh-Hans-CN]
[persist.sys.timezone]: [Asia/Shanghai]
[gsm.operator.alpha]: [测试]
"""
BOOT_ID = "6f1c2d3e-0a1b-4c5d-8e9f-001122334455\n"


def test_a_phone_says_who_it_is():
    info = parse_identity(f"{PROPERTIES}Physical size: 1080x2400\nPhysical density: 440\n{BOOT_ID}", "192.0.2.1:5555")
    assert (info.serial, info.hardware_serial, info.model) == ("192.0.2.1:5555", "HW0001", "Demo [7a] ")
    assert (info.android_version, info.sdk, info.size, info.density) == ("13", 33, WindowSize(1080, 2400), 440)
    assert (info.locale, info.time_zone, info.boot_id) == ("zh-Hans-CN", "Asia/Shanghai", BOOT_ID.strip())
    assert info.is_simulated is False


def test_a_size_override_counts():
    sizes = (INPUTS / "wm_size_override.txt").read_bytes().decode()
    densities = "Physical density: 560\r\nOverride density: 420\r\n"
    info = parse_identity(PROPERTIES + sizes + densities, "A")
    assert (info.size, info.density) == (WindowSize(1080, 1920), 420)


def test_a_phone_without_a_serial_number_is_known_by_its_transport():
    text = PROPERTIES.replace("[ro.serialno]: [HW0001]\n", "") + "Physical size: 1x2\n"
    assert parse_identity(text, "A").hardware_serial == "A"


@pytest.mark.parametrize("text", ["", PROPERTIES, "Physical size: 1080x2400\n"])
def test_a_phone_that_is_still_starting_is_not_guessed_at(text):
    with pytest.raises(NotReadable):
        parse_identity(text, "A")
