"""A regular expression from a task file over a text from a model: bounded in size, and in time.

Python's matcher cannot be interrupted, and a dozen characters can make it run for years. It runs in a process of its
own, which is ended when the time is over. That costs some milliseconds, once per attempt that asks for it.
"""

from __future__ import annotations

import json
import subprocess
import sys

from rollout.rewards.verdict import CannotTell

MAX_TEXT = 4000
"""Characters of the text that are looked at."""

_SCRIPT = """
import json, re, sys
pattern, text = json.load(sys.stdin)
print(json.dumps(re.search(pattern, text) is not None))
"""


def search_bounded(pattern: str, text: str, timeout_s: float = 5.0) -> bool:
    """Whether the pattern is found in the first MAX_TEXT characters.

    Raises:
        CannotTell: it took longer than `timeout_s`, or could not be run.
    """
    command = [sys.executable, "-I", "-S", "-c", _SCRIPT]
    given = json.dumps([pattern, text[:MAX_TEXT]]).encode()
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=timeout_s, check=True)
    except subprocess.TimeoutExpired as error:
        raise CannotTell(f"the pattern {pattern!r} found no end within {timeout_s:g} s") from error
    except (subprocess.CalledProcessError, OSError) as error:
        raise CannotTell(f"the pattern {pattern!r} could not be tried: {error}") from error
    return json.loads(done.stdout) is True
