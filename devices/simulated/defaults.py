"""How a simulated phone is when it leaves the factory: settings tables and system properties."""

from __future__ import annotations

from devices.simulated.keyboard import ADB_IME, LATIN_IME

WIDTH_PX, HEIGHT_PX, DENSITY = 1080, 2400, 440
ANDROID_RELEASE, ANDROID_SDK = "13", "33"
MODEL = "Sim Phone"
DEVICE_NAME = "Simulated Phone"
BUILD = "TQ1A.000000.001"
NAMESPACES = ("system", "secure", "global")


def settings_tables() -> dict[str, dict[str, str]]:
    """Namespace → key → value, as `settings list` shows them."""
    return {
        "system": {
            "accelerometer_rotation": "0",
            "font_scale": "1.0",
            "haptic_feedback_enabled": "1",
            "pointer_location": "0",
            "screen_brightness": "102",
            "screen_brightness_mode": "0",
            "screen_off_timeout": "60000",
            "show_touches": "0",
            "sound_effects_enabled": "1",
            "time_12_24": "24",
            "user_rotation": "0",
            "vibrate_when_ringing": "0",
            "volume_music": "5",
        },
        "secure": {
            "android_id": "51a0000000000001",
            "default_input_method": LATIN_IME,
            "enabled_input_methods": LATIN_IME,
            "location_mode": "3",
            "lock_screen_show_notifications": "1",
            "show_ime_with_hard_keyboard": "0",
            "show_password": "1",
            "ui_night_mode": "1",
            "user_setup_complete": "1",
        },
        "global": {
            "adb_enabled": "1",
            "airplane_mode_on": "0",
            "animator_duration_scale": "1.0",
            "auto_time": "1",
            "bluetooth_on": "0",
            "boot_count": "1",
            "development_settings_enabled": "1",
            "device_name": DEVICE_NAME,
            "device_provisioned": "1",
            "heads_up_notifications_enabled": "1",
            "mobile_data": "1",
            "stay_on_while_plugged_in": "0",
            "transition_animation_scale": "1.0",
            "wifi_on": "0",
            "window_animation_scale": "1.0",
        },
    }


INPUT_METHODS = (LATIN_IME, ADB_IME)
"""Installed; which are enabled and which is selected stands in the secure settings."""


def properties(hardware_serial: str) -> dict[str, str]:
    """What `getprop` answers."""
    fingerprint = f"sim/sim_phone/sim:{ANDROID_RELEASE}/{BUILD}/1:user/release-keys"
    return {
        "dev.bootcomplete": "1",
        "gsm.sim.state": "ABSENT",
        "init.svc.bootanim": "stopped",
        "persist.sys.locale": "en-US",
        "persist.sys.timezone": "Etc/UTC",
        "ro.boot.serialno": hardware_serial,
        "ro.build.characteristics": "default",
        "ro.build.display.id": BUILD,
        "ro.build.fingerprint": fingerprint,
        "ro.build.id": BUILD,
        "ro.build.tags": "release-keys",
        "ro.build.type": "user",
        "ro.build.version.incremental": "1",
        "ro.build.version.release": ANDROID_RELEASE,
        "ro.build.version.sdk": ANDROID_SDK,
        "ro.build.version.security_patch": "2023-01-05",
        "ro.hardware": "sim",
        "ro.kernel.qemu": "0",
        "ro.product.brand": "sim",
        "ro.product.cpu.abi": "arm64-v8a",
        "ro.product.device": "sim",
        "ro.product.locale": "en-US",
        "ro.product.manufacturer": "Sim",
        "ro.product.model": MODEL,
        "ro.product.name": "sim_phone",
        "ro.serialno": hardware_serial,
        "ro.sf.lcd_density": str(DENSITY),
        "ro.simulated": "1",
        "sys.boot_completed": "1",
    }
