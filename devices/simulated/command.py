"""A command on a simulated phone: what the shell hands over and what comes back.

The shell (`sh.py`) parses, expands and connects pipes; a handler sees final arguments only. Handlers are registered by
name in the phone's `commands`; `log` in `shell.py` writes down each call before it runs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devices.simulated.phone import Phone


@dataclass(slots=True)
class Call:
    """`argv[0]` is the command's name; `stdin` is the whole input (empty when nothing is piped in)."""

    argv: list[str]
    stdin: bytes = b""
    env: dict[str, str] = field(default_factory=dict)
    is_tty: bool = False
    """True under `exec:` and v1 `shell:` services, which run on a terminal (matters for /dev/tty)."""


@dataclass(slots=True)
class Result:
    stdout: bytes = b""
    stderr: bytes = b""
    status: int = 0


Handler = Callable[["Phone", Call], Awaitable[Result]]
Commands = Mapping[str, Handler]
