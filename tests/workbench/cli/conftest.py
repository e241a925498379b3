"""Run the command line in this process: what it prints is read from the descriptors, where it goes."""

import io
import sys
from collections.abc import Callable
from typing import TypeAlias

import pytest

from workbench.__main__ import main

Run: TypeAlias = Callable[..., tuple[int, str, str]]
"""Takes the words of a command line, and perhaps `stdin`; returns the exit code, standard output and error."""


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(arguments)
        return code, *capfd.readouterr()

    return run
