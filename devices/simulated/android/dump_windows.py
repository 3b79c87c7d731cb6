"""What `dumpsys window`, `activity`, `input_method` and `input` say: focus, lock, keyboard, rotation."""

from __future__ import annotations

from devices.simulated import defaults
from devices.simulated.android.answers import yes_no
from devices.simulated.android.screen import DISPLAY_ID
from devices.simulated.phone import Phone


def component(phone: Phone) -> str:
    """The page in front as `com.x/.Main`."""
    return f"{phone.page.app.package}/{phone.page.activity}"


def window_title(phone: Phone) -> str:
    """Of the focused window: an app's is the long form of its component."""
    if phone.is_shade_open or phone.lock.is_showing:
        return "NotificationShade"
    page = phone.page
    return f"{page.app.package}/{page.app.package}{page.activity}"


def task_id(phone: Phone) -> int:
    return 10 + list(phone.apps).index(phone.page.app.package)


def _record(phone: Phone) -> str:
    return f"ActivityRecord{{5a1b{task_id(phone):02x} u0 {component(phone)} t{task_id(phone)}}}"


def window(phone: Phone, words: list[str]) -> str:
    section = words[0] if words else "all"
    parts = {
        "policy": [_policy],
        "p": [_policy],
        "displays": [_displays],
        "d": [_displays],
        "windows": [_windows],
        "w": [_windows],
    }.get(section, [_policy, _displays, _windows])
    return "".join(part(phone) for part in parts)


def _policy(phone: Phone) -> str:
    lock, awake = phone.lock, phone.is_awake
    showing, secure = yes_no(lock.is_showing), yes_no(bool(lock.pin))
    return f"""WINDOW MANAGER POLICY STATE (dumpsys window policy)
    mSafeMode=false mSystemReady=true mSystemBooted=true
    mAwake={yes_no(awake)} mScreenOnEarly={yes_no(awake)} mScreenOnFully={yes_no(awake)}
    mShowingDream=false mDreamingLockscreen={showing}
    isKeyguardShowing={showing}
    KeyguardServiceDelegate
      showing={showing}
      inputRestricted={showing}
      occluded=false
      secure={secure}
      dreaming=false
      systemIsReady=true
      deviceHasKeyguard={yes_no(lock.is_enabled)}
      enabled=true
      offReason=OFF_BECAUSE_OF_USER
      currentUser=-10000
      bootCompleted=true
      screenState=SCREEN_STATE_{"ON" if awake else "OFF"}
      interactiveState=INTERACTIVE_STATE_{"AWAKE" if awake else "SLEEP"}
      KeyguardStateMonitor
        mIsShowing={showing}
        mSimSecure=false
        mInputRestricted={showing}
        mTrusted=false
        mCurrentUserId=0
"""


def _displays(phone: Phone) -> str:
    metrics, rotation = phone.metrics, phone.rotation
    size = f"{metrics.width_px}x{metrics.height_px}"
    natural, init = "{}x{}".format(*phone.natural_size_px), f"{defaults.WIDTH_PX}x{defaults.HEIGHT_PX}"
    focus = "null" if not phone.is_awake else f"Window{{7c1d{task_id(phone):02x} u0 {window_title(phone)}}}"
    return f"""WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 rootTasks={len(phone.tasks)}
    init={init} {defaults.DENSITY}dpi base={natural} {phone.density}dpi cur={size} app={size} rng={size}-{size}
    deferred=false mLayoutNeeded=false mTouchExcludeRegion=SkRegion()
  mCurrentFocus={focus}
  mFocusedApp={_record(phone)}

    DisplayRotation
      mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED
      mRotation={rotation} mDeferredRotationPauseCount=0
      mUserRotationMode={_rotation_mode(phone)}
"""


def _rotation_mode(phone: Phone) -> str:
    is_free = phone.setting("system", "accelerometer_rotation") == "1"
    return "USER_ROTATION_FREE" if is_free else "USER_ROTATION_LOCKED"


def _windows(phone: Phone) -> str:
    """Since Android 10 the focus is in `displays` and no longer here."""
    lines = ["WINDOW MANAGER WINDOWS (dumpsys window windows)"]
    titles = ["StatusBar", "NavigationBar0", *(["InputMethod"] if phone.is_keyboard_up else []), window_title(phone)]
    for index, title in enumerate(titles):
        lines.append(f"  Window #{index} Window{{7c1d0{index} u0 {title}}}:\n    mDisplayId=0 isOnScreen=true")
    return "\n".join(lines) + "\n"


def activity(phone: Phone, words: list[str]) -> str:
    section = words[0] if words else "activities"
    if section == "top":
        head = f"TASK {phone.page.app.package} id={task_id(phone)} userId=0\n"
        return f"{head}  ACTIVITY {component(phone)} 5a1b00 pid={_pid(phone)}\n"
    if section not in ("activities", "a"):
        return f"ACTIVITY MANAGER {section.upper()} (dumpsys activity {section})\n  (nothing)\n"
    record = _record(phone)
    lines = [
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)",
        "Display #0 (activities from top to bottom):",
    ]
    for task in reversed(phone.tasks):
        number = 10 + list(phone.apps).index(task.app.package)
        lines.append(f"  * Task{{9d2e{number:02x} #{number} type=standard A=10123:{task.app.package}}}")
        for page in reversed(task.pages):
            lines.append(
                f"    * Hist  #0: ActivityRecord{{5a1b{number:02x} u0 {task.app.package}/{page.activity} t{number}}}"
            )
    lines += [f"  topResumedActivity={record}", "", f"  ResumedActivity: {record}", ""]
    return "\n".join(lines)


def _pid(phone: Phone) -> int:
    return 2000 + task_id(phone)


def input_method(phone: Phone, words: list[str]) -> str:
    name, shown = phone.input_method, yes_no(phone.is_keyboard_up)
    return f"""Current Input Method Manager state:
  Input Methods: mMethodMapUpdateCount=2
  Input method client state:
    mCurMethodId={name}
  mCurFocusedWindowClient=ClientState{{3f2a01 uid=10123 pid={_pid(phone)}}}
  mCurId={name} mHaveConnection=true mBoundToMethod=true mVisibleBound={shown}
  mShowRequested={shown} mShowExplicitlyRequested={shown} mShowForced=false mInputShown={shown}
  mSystemReady=true mInteractive={yes_no(phone.is_awake)}
"""


def input_state(phone: Phone, words: list[str]) -> str:
    metrics = phone.metrics
    logical = f"[0, 0, {metrics.width_px}, {metrics.height_px}]"
    natural = "{}, {}".format(*phone.natural_size_px)
    viewport = (
        f"Viewport INTERNAL: displayId=0, uniqueId=local:{DISPLAY_ID}, port=0, orientation={phone.rotation}, "
        f"logicalFrame={logical}, physicalFrame=[0, 0, {natural}], deviceSize=[{natural}], isActive=[1]"
    )
    return f"""INPUT MANAGER (dumpsys input)

Input Reader State:
  {viewport}

Input Dispatcher State:
  FocusedDisplayId: 0
  FocusedApplications:
    displayId=0, name='{_record(phone)}', dispatchingTimeout=5000ms
  FocusedWindows:
    displayId=0, name='7c1d{task_id(phone):02x} {window_title(phone)}'
"""
