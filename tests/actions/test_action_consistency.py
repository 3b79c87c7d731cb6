"""One enum behind prompt, assertion and executor: whoever adds an action is told here what is missing."""

from __future__ import annotations

import ast
import inspect

import pytest

from rollout.actions.assertion import RULES
from rollout.actions.dialects.gelab_actions import NOT_SPELLED, SPELLINGS
from rollout.actions.dialects.gelab_prompts import TEXTS
from rollout.actions.schema import ACTION_CLASSES, ActionType
from rollout.agent.executor import Executor


def executor_branches() -> set[str]:
    """Class names in the patterns of the executor's one `match`."""
    (function,) = ast.parse(inspect.getsource(Executor._perform).strip()).body
    return {
        node.cls.id
        for node in ast.walk(function)
        if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name)
    }


@pytest.mark.parametrize("kind", list(ActionType))
def test_each_action_has_a_class_a_rule_and_a_branch_in_the_executor(kind: ActionType) -> None:
    assert ACTION_CLASSES[kind].model_fields["type"].default is kind
    assert kind in RULES
    assert ACTION_CLASSES[kind].__name__ in executor_branches()


@pytest.mark.parametrize("kind", list(ActionType))
def test_each_action_has_a_gelab_spelling_or_a_reason_why_not(kind: ActionType) -> None:
    assert (kind in SPELLINGS) != (kind in NOT_SPELLED)


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_the_prompt_offers_every_action_that_the_parser_reads(language: str) -> None:
    for names in SPELLINGS.values():
        assert f"action:{names[0]}\t" in TEXTS[language].actions
