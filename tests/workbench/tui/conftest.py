"""A fixed time zone, so that screens are the same on every machine; and a project to work on."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import scaffolds


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use UTC for times of day."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the demo that a test may change."""
    folder = tmp_path / "demo"
    shutil.copytree(scaffolds.demo_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder
