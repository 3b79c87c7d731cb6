"""The next screenshot is taken when the screen has come to rest, and not later than told."""

from __future__ import annotations

from collections.abc import Callable

from fake_phone import FakePhone, screen

from rollout.agent.settle import Settler
from rollout.config.schema import Settle


class Clock:
    """Time that passes only when told; a look costs `look_s`."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


def settler(phone: FakePhone, rule: Settle, look_s: float = 0.2) -> tuple[Settler, Clock]:
    clock = Clock()
    look: Callable[[], object] = phone.look

    def slow_look(timeout_s: float | None = None) -> object:
        clock.wait(look_s)
        return look()

    phone.look = slow_look  # type: ignore[method-assign, assignment]
    return Settler(phone, rule, wait=clock.wait, clock=clock), clock  # type: ignore[arg-type]


def test_adaptive_takes_the_first_of_two_equal_captures_as_rest() -> None:
    moving = [screen(shade=shade) for shade in (10, 20, 30, 30)]
    settle, clock = settler(FakePhone(*moving), Settle(min_s=0.1, max_s=4))
    sight = settle.after_action()
    assert sight.look.screenshot.png == moving[3].screenshot.png
    assert round(clock.now, 3) == 0.9


def test_adaptive_gives_up_on_a_screen_that_never_rests() -> None:
    restless = [screen(shade=shade) for shade in range(200)]
    settle, clock = settler(FakePhone(*restless), Settle(min_s=0, max_s=1.0))
    settle.after_action()
    assert 1.0 <= clock.now <= 1.4


def test_fixed_waits_its_time_and_looks_once() -> None:
    settle, clock = settler(FakePhone(), Settle(mode="fixed", seconds=2.0))
    sight = settle.after_action()
    assert round(sight.settle_s, 3) == 2.0
    assert round(clock.now, 3) == 2.2


def test_none_looks_at_once() -> None:
    settle, clock = settler(FakePhone(), Settle(mode="none"))
    assert settle.after_action().settle_s == 0
    assert round(clock.now, 3) == 0.2


def test_where_a_capture_is_slow_the_frame_counter_is_watched_instead() -> None:
    phone = FakePhone(screen(package="com.notes"))
    settle, _ = settler(phone, Settle(min_s=0, max_s=8, slow_capture_s=1.0), look_s=1.5)
    settle.first()
    phone.verbs.clear()
    settle.after_action()
    assert [verb[0] for verb in phone.verbs] == ["frames_rendered", "frames_rendered"]
