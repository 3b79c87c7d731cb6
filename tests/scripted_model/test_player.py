"""The scripted model plays from the request alone: prompt text, strip, seed."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from devices.simulated.strip import StripElement, StripInfo, draw_strip, key_hash
from rollout.actions.dialects import ParsedReply, PastTurn, Turn
from rollout.actions.dialects.gelab import GelabDialect
from rollout.actions.schema import Abort, Awake, Click, Complete, HotKeyPress, Info, Scroll
from rollout.agent.auto_reply import AutoReply, Question
from rollout.agent.policy import ModelSeat
from rollout.config.schema import Provider
from rollout.llm.client import ModelClient
from rollout.llm.messages import ImagePart, Message, TextPart
from rollout.scripted_model.player import Player, Request, read_request

DIALECT = GelabDialect()
WIFI = "Open Settings and switch Wi-Fi on."


def screenshot(screen: str, *keys: str, flags: tuple[str, ...] = ()) -> bytes:
    image = Image.new("RGB", (1080, 2400), "white")
    elements = tuple(StripElement(key_hash(key), 500.0, 400.0) for key in keys)
    draw_strip(image, StripInfo(screen, 0, flags, elements))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def ask(
    instruction: str, png: bytes, past: list[PastTurn] | None = None, *, language: str = "en", seed: int = 0,
    skill: float = 1.0,
) -> ParsedReply:  # fmt: skip
    image = ImagePart(png, "x.png", "", "png", 1080, 2400)
    (message,) = DIALECT.prompt(Turn(instruction, image, past or [], language))
    answer = Player(DIALECT, skill).answer(Request(text_of(message), png, seed))
    return DIALECT.parse(answer.text)


def text_of(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_it_knows_a_task_and_its_progress_from_the_prompt(language: str) -> None:
    first = ask(WIFI, screenshot("launcher/home"), language=language)
    assert first.action == Awake(app="Settings")
    second = ask(WIFI, screenshot("settings/home", "settings.row.network"), [PastTurn(first)], language=language)
    assert isinstance(second.action, Click)
    assert second.action.point == pytest.approx((500, 400), abs=5)


def test_it_scrolls_to_what_is_not_on_the_screen_and_gives_up_in_the_end() -> None:
    past = [PastTurn(ask(WIFI, screenshot("launcher/home")))]
    kinds = []
    for _ in range(20):
        reply = ask(WIFI, screenshot("settings/home"), past)
        kinds.append(type(reply.action))
        past = [PastTurn(reply)]
    assert kinds[0] is Scroll
    assert Abort in kinds


def test_a_keyboard_in_the_way_is_put_away() -> None:
    past = [PastTurn(ask(WIFI, screenshot("launcher/home")))]
    assert isinstance(ask(WIFI, screenshot("settings/home", flags=("k",)), past).action, HotKeyPress)


def test_an_unknown_task_is_given_up_with_the_reason() -> None:
    assert isinstance(ask("Order a pizza.", screenshot("launcher/home")).action, Abort)


def test_a_picture_without_a_strip_moves_nothing_but_the_back_key() -> None:
    past = [PastTurn(ask(WIFI, screenshot("launcher/home")))]
    plain = io.BytesIO()
    Image.new("RGB", (1080, 2400)).save(plain, "PNG")
    assert isinstance(ask(WIFI, plain.getvalue(), past).action, HotKeyPress)


def test_the_users_reply_decides_and_is_remembered() -> None:
    task = 'In Notes, write a new note with the title "Party" in the colour the user likes best, and save it.'
    past: list[PastTurn] = []
    for keys in (("launcher.app.notes",), ("notes.new",), ()):
        reply = ask(task, screenshot("x", *keys), past)
        past = [PastTurn(reply, user_reply="Green, please." if isinstance(reply.action, Info) else None)]
    chosen = ask(task, screenshot("notes/edit", "notes.edit.colour.green"), past)
    assert isinstance(chosen.action, Click)
    assert "green" in chosen.summary


def test_a_rollout_is_good_or_bad_as_a_whole_by_its_seed() -> None:
    def ends_at_once(seed: int) -> bool:
        reply = ask(WIFI, screenshot("launcher/home"), seed=seed, skill=0.5)
        return not isinstance(reply.action, Awake)

    by_rollout = [{ends_at_once((rollout << 16) | step) for step in (8, 16, 24)} for rollout in range(40)]
    assert all(len(kinds) == 1 for kinds in by_rollout)
    bad = sum(kinds == {True} for kinds in by_rollout)
    assert 8 <= bad <= 32


def test_a_bad_rollout_of_an_impossible_task_does_not_abort() -> None:
    task = 'Open the note "Passport numbers" in Notes. If there is no such note, abort.'
    for rollout in range(30):
        past: list[PastTurn] = []
        for _ in range(4):
            reply = ask(task, screenshot("launcher/home"), past, seed=rollout << 16, skill=0.0)
            past = [PastTurn(reply)]
            assert not isinstance(reply.action, Abort)
            if isinstance(reply.action, Complete):
                break


def test_it_plays_the_user_when_asked_as_one() -> None:
    seat = ModelSeat(ModelClient("x", Provider(api_base="http://x/v1")), "x", "m", {})
    image = ImagePart(b"", "x.png", "", "png", 1, 1)
    for language in ("zh", "en"):
        question = Question("Which colour?", "paint", image, "The user likes green.", 0)
        text = text_of(AutoReply(seat, language).prompt(question))
        plain = Player(DIALECT).answer(Request(text, None, seed=2))
        thoughtful = Player(DIALECT).answer(Request(text, None, seed=3))
        assert plain.purpose == thoughtful.purpose == "auto_reply"
        assert plain.text == "The user likes green."
        assert thoughtful.text.startswith("<think>")
        assert thoughtful.text.endswith("The user likes green.")


@pytest.mark.parametrize(
    "body",
    [{}, {"messages": []}, {"messages": "hi"},
     {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]}]},
     {"messages": [{"content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,%"}}]}]}],
)  # fmt: skip
def test_what_is_no_chat_request_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"messages|image_url"):
        read_request(body)
