"""0–1000 becomes pixels in one place, right in every rotation, and an action becomes the verbs it means."""

from __future__ import annotations

import pytest
from fake_phone import FakePhone, screen

from devices.errors import ActionFailed, DeviceTimeout
from rollout.actions.schema import (
    Awake,
    Click,
    Direction,
    DoubleClick,
    HotKey,
    HotKeyPress,
    LongPress,
    Scroll,
    Slide,
    Type,
    Wait,
)
from rollout.agent.executor import AppPolicy, Effect, Executor, to_pixels


def perform(action: object, phone: FakePhone, **options: object) -> Effect:
    waits: list[float] = []
    executor = Executor(phone, wait=waits.append, **options)  # type: ignore[arg-type]
    return executor.perform(action, phone.look())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("point", "size", "pixel"),
    [
        ((704, 763), (1080, 2400), (760, 1831)),
        ((500, 500), (1080, 1920), (540, 960)),
        ((900, 500), (2400, 1080), (2160, 540)),
        ((1000, 1000), (1080, 2400), (1079, 2399)),
        ((0, 0), (1080, 2400), (0, 0)),
        ((333.3, 666.6), (1080, 2400), (359, 1599)),
    ],
)
def test_points_become_pixels_of_the_screen_that_was_seen(
    point: tuple[float, float], size: tuple[int, int], pixel: tuple[int, int]
) -> None:
    assert to_pixels(point, *size) == pixel


@pytest.mark.parametrize("rotation", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "action",
    [
        Click(point=(100, 900)),
        DoubleClick(point=(100, 900)),
        LongPress(point=(100, 900)),
        Slide(point=(100, 900), point2=(100, 100)),
        Scroll(point=(100, 900), direction=Direction.UP, distance=800),
        Type(text="x", point=(100, 900)),
    ],
    ids=lambda action: action.type.value,
)
def test_every_point_action_is_right_in_four_rotations(action: object, rotation: int) -> None:
    width, height = (1080, 2400) if rotation % 2 == 0 else (2400, 1080)
    effect = perform(action, FakePhone(screen(width, height, rotation=rotation)))
    assert effect.pixels[:2] == (width // 10, height * 9 // 10)
    if len(effect.pixels) == 4:
        assert effect.pixels[2:] == (width // 10, height // 10)


def test_a_scroll_ends_on_the_screen() -> None:
    effect = perform(Scroll(direction=Direction.DOWN, point=(500, 900), distance=500), FakePhone())
    assert effect.pixels == (540, 2160, 540, 2399)


def test_type_taps_its_point_only_when_no_keyboard_is_up() -> None:
    without, with_keyboard = FakePhone(), FakePhone(screen(has_keyboard=True))
    perform(Type(text="hi", point=(500, 500)), without)
    perform(Type(text="hi", point=(500, 500)), with_keyboard)
    assert [verb[0] for verb in without.verbs] == ["tap", "type_text"]
    assert [verb[0] for verb in with_keyboard.verbs] == ["type_text"]


def test_a_refusal_of_the_phone_is_the_actions_error_and_no_fault() -> None:
    phone = FakePhone(fail=lambda verb: ActionFailed("FAKE", "no such app") if verb == "resolve_app" else None)
    effect = perform(Awake(app="Nope"), phone)
    assert not effect.ok
    assert effect.error == "no such app"


def test_a_lost_phone_is_not_swallowed() -> None:
    phone = FakePhone(fail=lambda verb: DeviceTimeout("FAKE", "silent") if verb == "tap" else None)
    with pytest.raises(DeviceTimeout):
        perform(Click(point=(1, 1)), phone)


@pytest.mark.parametrize("policy", [AppPolicy(deny=frozenset({"com.bank"})), AppPolicy(allow=frozenset({"com.notes"}))])
def test_an_app_the_policy_forbids_is_not_opened(policy: AppPolicy) -> None:
    phone = FakePhone()
    effect = perform(Awake(app="Bank"), phone, policy=policy)
    assert effect.error is not None
    assert "com.bank" in effect.error
    assert ("launch_app", "com.bank") not in phone.verbs


def test_keys_waits_and_launches_reach_the_phone_as_what_they_are() -> None:
    phone = FakePhone()
    perform(HotKeyPress(key=HotKey.BACK), phone)
    perform(Awake(app="Notes"), phone)
    assert ("press_key", "BACK") in phone.verbs
    assert ("launch_app", "com.notes") in phone.verbs
    assert perform(Wait(seconds=2), phone).ok
