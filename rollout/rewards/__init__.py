"""Rewards: verifiers read what an attempt left, over the Device protocol alone, so they work on any phone."""

from rollout.rewards.grade import VERIFIERS, grade
from rollout.rewards.verdict import GradingInput

__all__ = ["VERIFIERS", "GradingInput", "grade"]
