"""A few short walks; `make soak` runs the long ones."""

import os
import sys
from pathlib import Path

import pytest

from tests.terminal.walks import walk
from tests.terminal.walks.walk import Walk, WalkFailed

EVENTS = 60


@pytest.mark.parametrize("seed", [0, 4, 2])
def test_the_terminal_continues_regardless_of_the_input(seed: int, tmp_path: Path) -> None:
    Walk(seed, tmp_path / "walk", Path(os.environ["WORKBENCH_RUNTIME"])).run(EVENTS)


def walk_through(code: str, folder: Path) -> None:
    """Walk through a small program in place of ours."""
    Walk(1, folder / "walk", Path(os.environ["WORKBENCH_RUNTIME"]), (sys.executable, "-c", code)).run(40)


def test_a_program_that_ends_with_an_error_fails_the_walk_with_its_seed_and_its_last_output(tmp_path: Path) -> None:
    # It ends with the first key; a program that reads a line would wait for an Enter of the walk.
    ends = "import os, tty\ntty.setcbreak(0)\nos.write(1, b'up')\nos.read(0, 1)\nraise SystemExit('down it goes')"
    with pytest.raises(WalkFailed, match=r"ended with exit code 1(?s:.*)seed 1, hard, modern(?s:.*)down it goes"):
        walk_through(ends, tmp_path)


def test_a_program_that_draws_nothing_fails_the_walk_with_its_current_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "RESPONSE", 0.2)
    with pytest.raises(WalkFailed, match=r"drew nothing(?s:.*)Fatal Python error: Aborted(?s:.*)line 4"):
        walk_through("import os, tty\ntty.setraw(0)\nos.write(1, b'up')\nwhile True: os.read(0, 99)", tmp_path)
