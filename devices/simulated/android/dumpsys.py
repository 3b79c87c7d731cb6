"""`dumpsys SERVICE`: short dumps with the lines that tools look for, in Android 13's wording."""

from __future__ import annotations

from collections.abc import Callable

from devices.simulated import defaults
from devices.simulated.android import dump_windows
from devices.simulated.android.answers import err, out, yes_no
from devices.simulated.android.packages import packages
from devices.simulated.android.screen import DISPLAY_ID
from devices.simulated.command import Call, Result
from devices.simulated.phone import Phone

Dump = Callable[[Phone, list[str]], str]
_OPTIONS_WITH_VALUE = ("-t", "-T", "--priority", "--pid", "--stability")


async def run(phone: Phone, call: Call) -> Result:
    words = call.argv[1:]
    while words and words[0].startswith("-"):
        if words[0] == "-l":
            return out("Currently running services:\n" + "".join(f"  {name}\n" for name in sorted(_SERVICES)))
        words = words[2:] if words[0] in _OPTIONS_WITH_VALUE else words[1:]
    if not words:
        return out("Currently running services:\n" + "".join(f"  {name}\n" for name in sorted(_SERVICES)))
    dump = _SERVICES.get(words[0])
    if dump is None:
        return err(f"Can't find service: {words[0]}\n", 0)
    return out(dump(phone, words[1:]))


def _power(phone: Phone, words: list[str]) -> str:
    stay_on = phone.setting("global", "stay_on_while_plugged_in", "0")
    return f"""POWER MANAGER (dumpsys power)

Power Manager State:
  mDirty=0x0
  mWakefulness={"Awake" if phone.is_awake else "Asleep"}
  mWakefulnessChanging=false
  mIsPowered=true
  mPlugType=2
  mBatteryLevel={phone.battery_level}
  mStayOn={yes_no(stay_on not in ("0", ""))}
  mBootCompleted=true
  mSystemReady=true
  mHoldingWakeLockSuspendBlocker={yes_no(phone.is_awake)}
  mHoldingDisplaySuspendBlocker={yes_no(phone.is_awake)}

Settings and Configuration:
  mScreenOffTimeoutSetting={phone.setting("system", "screen_off_timeout", "60000")}

Display Power: state={"ON" if phone.is_awake else "OFF"}
"""


def _display(phone: Phone, words: list[str]) -> str:
    metrics, rotation = phone.metrics, phone.rotation
    width, height = metrics.width_px, metrics.height_px
    natural_width, natural_height = phone.natural_size_px
    state = "ON" if phone.is_awake else "OFF"
    unique = f"local:{DISPLAY_ID}"

    def info(wide: int, high: int, turned: int) -> str:
        return (
            f'DisplayInfo{{"Built-in Screen", displayId 0, displayGroupId 0, FLAG_SECURE, FLAG_TRUSTED, '
            f"real {wide} x {high}, largest app {max(wide, high)} x {max(wide, high)}, smallest app "
            f"{min(wide, high)} x {min(wide, high)}, appVsyncOff 1000000, presDeadline 16666666, mode 1, "
            f"defaultMode 1, modes [{{id=1, width={wide}, height={high}, fps=60.0, alternativeRefreshRates=[]}}], "
            f"hdrCapabilities HdrCapabilities{{mSupportedHdrTypes=[]}}, minimalPostProcessingSupported false, "
            f'rotation {turned}, state {state}, type INTERNAL, uniqueId "{unique}", app {wide} x {high}, '
            f"density {phone.density} ({phone.density}.0 x {phone.density}.0) dpi, layerStack 0, colorMode 0, "
            f"supportedColorModes [0], address {{port=0, model=0x401cec6a7a2b7b}}, deviceProductInfo null, "
            f"removeMode 0, refreshRateOverride 0.0, brightnessMinimum 0.0, brightnessMaximum 1.0, "
            f"brightnessDefault 0.4, installOrientation ROTATION_0}}"
        )

    physical = info(defaults.WIDTH_PX, defaults.HEIGHT_PX, 0)
    viewport = (
        f"DisplayViewport{{type=INTERNAL, valid=true, isActive={yes_no(phone.is_awake)}, displayId=0, "
        f"uniqueId='{unique}', physicalPort=0, orientation={rotation}, "
        f"logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {natural_width}, {natural_height}), "
        f"deviceWidth={natural_width}, deviceHeight={natural_height}}}"
    )
    return f"""DISPLAY MANAGER (dumpsys display)
  mOnlyCode=false
  mSafeMode=false
  mPendingTraversal=false
  mViewports=[{viewport}]
  mDefaultDisplayDefaultColorMode=0

Logical Displays: size=1
  Display 0:
    mDisplayId=0
    mLayerStack=0
    mPrimaryDisplayDevice=Built-in Screen
    mBaseDisplayInfo={physical}
    mOverrideDisplayInfo={info(width, height, rotation)}
"""


def _surface_flinger(phone: Phone, words: list[str]) -> str:
    if "--display-id" in words:
        return f'Display {DISPLAY_ID} (HWC display 0): port=0 pnpId=SIM displayName="panel0"\n'
    return f"Display {DISPLAY_ID} (HWC display 0):\n  powerMode={'On' if phone.is_awake else 'Off'}\n"


def _battery(phone: Phone, words: list[str]) -> str:
    if words[:2] == ["set", "level"] and len(words) > 2 and words[2].isdecimal():
        phone.battery_level = min(100, int(words[2][:4]))
        phone.changed()
        return ""
    if words[:1] == ["reset"]:
        phone.battery_level = 83
        phone.changed()
        return ""
    return f"""Current Battery Service state:
  AC powered: false
  USB powered: true
  Wireless powered: false
  Max charging current: 500000
  Max charging voltage: 5000000
  Charge counter: 3200000
  status: 2
  health: 2
  present: true
  level: {phone.battery_level}
  scale: 100
  voltage: 4120
  temperature: 314
  technology: Li-ion
"""


def _package(phone: Phone, words: list[str]) -> str:
    package = packages(phone).get(words[0]) if words else None
    if package is None:
        return f"Unable to find package: {words[0]}\n" if words else ""
    flags = "SYSTEM HAS_CODE ALLOW_CLEAR_USER_DATA" if package.is_system else "HAS_CODE ALLOW_CLEAR_USER_DATA"
    return f"""Packages:
  Package [{package.name}] (6e1f20):
    userId={package.uid}
    pkg=Package{{1d2c30 {package.name}}}
    codePath={package.path.rsplit("/", 1)[0]}
    versionCode={package.version_code} minSdk=26 targetSdk=33
    versionName={package.version_name}
    flags=[ {flags} ]
    pkgFlags=[ {flags} ]
    timeStamp=2025-01-01 10:00:00
    firstInstallTime=2025-01-01 10:00:00
    lastUpdateTime=2025-01-01 10:00:00
    signatures=PackageSignatures{{4b5a60 version:3, signatures:[51a0c0de], past signatures:[]}}
"""


def _gfxinfo(phone: Phone, words: list[str]) -> str:
    app = phone.apps.get(words[0]) if words else None
    if app is None or phone.task_of(app.package) is None:
        return f"No process found for: {words[0]}\n" if words else ""
    frames = phone.frames(app)
    return f"""Applications Graphics Acceleration Info:
Uptime: 1000000 Realtime: 1000000

** Graphics info for pid {2000 + list(phone.apps).index(app.package)} [{app.package}] **

Stats since: 1000000000ns
Total frames rendered: {frames}
Janky frames: 0 (0.00%)
50th percentile: 5ms
90th percentile: 6ms
"""


def _thermal(phone: Phone, words: list[str]) -> str:
    return "IsStatusOverride: false\nThermalEventListeners:\nThermal Status: 0\n"


_SERVICES: dict[str, Dump] = {
    "SurfaceFlinger": _surface_flinger,
    "activity": dump_windows.activity,
    "battery": _battery,
    "display": _display,
    "gfxinfo": _gfxinfo,
    "input": dump_windows.input_state,
    "input_method": dump_windows.input_method,
    "package": _package,
    "power": _power,
    "thermalservice": _thermal,
    "window": dump_windows.window,
}
COMMANDS = {"dumpsys": run}
