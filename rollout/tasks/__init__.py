"""Tasks: what an agent is asked to do, how a phone is prepared for it, how the result is verified."""

from rollout.tasks.load import load_tasks
from rollout.tasks.schema import Requires, SetupOperation, Task
from rollout.tasks.select import select
from rollout.tasks.verifiers import VerifierSpec

__all__ = ["Requires", "SetupOperation", "Task", "VerifierSpec", "load_tasks", "select"]
