"""A small project, and processes that notice hangups."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.small_project import small_project


@pytest.fixture(autouse=True)
def hangups() -> Iterator[None]:
    """Have processes that start see hangups, also where the tests themselves run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_project(tmp_path / "small")
