"""What the model is shown: actions, task, history, image, form; in both languages."""

from __future__ import annotations

import pytest

from rollout.actions.dialects import ParsedReply, PastTurn, Turn
from rollout.actions.dialects.gelab import GelabDialect
from rollout.actions.dialects.gelab_prompts import TEXTS, TaskText, read_task
from rollout.actions.schema import Info, Wait
from rollout.llm.messages import ImagePart, TextPart

GELAB = GelabDialect()
IMAGE = ImagePart(b"png", "screenshots/0001.png", "00", "png", 1080, 2400)
LANGUAGES = sorted(TEXTS)


def history(*past: PastTurn, language: str = "en", task: str = "Open Maps") -> str:
    (message,) = GELAB.prompt(Turn(task, IMAGE, past, language))
    found = read_task(message.text)
    assert found is not None and (found.language, found.task) == (language, task)
    return found.history


def said(summary: str) -> ParsedReply:
    return ParsedReply(Wait(), summary=summary)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_user_message_holds_actions_and_task_then_the_image_then_the_form(language: str) -> None:
    (message,) = GELAB.prompt(Turn("Open Maps", IMAGE, (), language))
    first, image, last = message.parts
    assert message.role == "user" and image is IMAGE
    assert isinstance(first, TextPart) and "action:CLICK\tpoint:x,y" in first.text and "Open Maps" in first.text
    assert isinstance(last, TextPart) and "<THINK> … </THINK>" in last.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_history_is_empty_at_first_and_then_the_last_summary(language: str) -> None:
    assert history(language=language) == ""
    assert history(PastTurn(said("one")), PastTurn(said("one, two")), language=language) == "one, two"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_users_reply_is_shown_also_when_the_summary_is_empty(language: str) -> None:
    asked = PastTurn(ParsedReply(Info(question="Which?"), summary=""), user_reply="The green one")
    assert "The green one" in history(asked, language=language)
    assert "one" in history(PastTurn(said("one")), asked, language=language)


def test_a_failed_action_is_told_at_the_next_step_and_no_longer() -> None:
    failed = PastTurn(said("opened"), action_error="no app is called 'Mapz'")
    assert history(failed) == "opened\nThe last action did not succeed: no app is called 'Mapz'"
    assert history(failed, PastTurn(said("waited"))) == "waited"


def test_an_unreadable_turn_keeps_the_summary_before_it() -> None:
    assert history(PastTurn(said("one")), PastTurn(None)) == "one"


@pytest.mark.parametrize(
    "task", ["two\nlines {history} {task}", "Current screen:", "History (what has been done so far):\nall", "历史"]
)
def test_a_task_of_any_wording_is_found_again_in_its_prompt(task: str) -> None:
    assert history(PastTurn(said("did {task}")), task=task) == "did {task}"


def test_a_prompt_of_another_kind_holds_no_task() -> None:
    assert read_task("Describe the image.") is None
    assert read_task("") is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_re_ask_repeats_the_reply_and_says_what_was_wrong_with_it(language: str) -> None:
    before = GELAB.prompt(Turn("Open Maps", IMAGE, (), language))
    messages = GELAB.reask(before, "rubbish {x}", "there is no action {field}", language)
    assert messages[: len(before)] == before
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert messages[1].text == "rubbish {x}"
    assert "there is no action {field}" in messages[2].text and "LONGPRESS" in messages[2].text
    assert [message.role for message in GELAB.reask(before, " ", "empty", language)] == ["user", "user"]


def test_the_prompt_hash_is_one_per_language_and_does_not_change_with_the_task() -> None:
    assert len({GELAB.prompt_hash(language) for language in LANGUAGES}) == len(LANGUAGES)
    assert GELAB.prompt_hash("en") == GelabDialect().prompt_hash("en")
    assert len(GELAB.prompt_hash("en")) == 64


def test_task_texts_compare_by_content() -> None:
    (message,) = GELAB.prompt(Turn("Open Maps", IMAGE, (), "zh"))
    assert read_task(message.text) == TaskText("zh", "Open Maps", "")
