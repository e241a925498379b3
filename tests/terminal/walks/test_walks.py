"""A few short walks; `make soak` runs the long ones."""

import os
from pathlib import Path

import pytest

from tests.terminal.walks.walk import Walk

EVENTS = 60


@pytest.mark.parametrize("seed", [0, 3])
def test_whatever_a_person_does_the_terminal_goes_on(seed: int, tmp_path: Path) -> None:
    Walk(seed, tmp_path / "walk", Path(os.environ["WORKBENCH_RUNTIME"])).run(EVENTS)
