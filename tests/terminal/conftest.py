"""Fixtures of the tests of the real terminal: the command in a pseudo-terminal, and no core that outlives its test."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.terminal.demo import OFFERS
from tests.terminal.terminal import Terminal

Open = Callable[..., Terminal]


@pytest.fixture
def open_terminal(plain_environment: None) -> Iterator[Open]:
    """Opens `workbench` with the given arguments in a pseudo-terminal."""
    with ExitStack() as stack:

        def opened(
            *words: str, columns: int = 120, rows: int = 40, module: tuple[str, ...] = ("workbench",)
        ) -> Terminal:
            command = [sys.executable, "-m", *module, *words]
            return stack.enter_context(Terminal(command, columns=columns, rows=rows))

        yield opened
    for descriptor in Path(os.environ["WORKBENCH_RUNTIME"]).glob("*.json"):
        os.kill(json.loads(descriptor.read_text(encoding="utf-8"))["pid"], signal.SIGKILL)


@pytest.fixture
def demo(open_terminal: Open) -> Terminal:
    """The terminal on the demo, with all tools visible."""
    terminal = open_terminal("demo")
    terminal.expect("✓ ready", *OFFERS)
    return terminal
