"""Fixtures for tests that load projects."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server_core.loading import modules
from tests.server_core.loading.projects import Folder


@pytest.fixture(autouse=True)
def no_traces() -> Iterator[None]:
    """Put the modules of the last project aside, so that tests do not meet those of another."""
    yield
    if modules._active_importer is not None:
        modules._active_importer.deactivate()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)
