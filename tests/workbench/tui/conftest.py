"""A fixed time zone, so that screens are the same on every machine; apps that are freed; and a project to work on."""

import gc
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual._styles_cache import StylesCache

import scaffolds


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use UTC for times of day."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(scope="session")
def frozen_modules() -> None:
    """Take all that exists before the first app out of garbage collections, which makes those of apps quick."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def freed_apps(frozen_modules: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Free the app of each test: it has many megabytes in cycles.

    An app freezes all objects when it starts, since it is the only app of its process; here that would keep those of
    all earlier tests. Textual has a cache by widget, which would keep what the last thousand widgets have drawn.
    """
    with monkeypatch.context() as patched:
        patched.setattr(gc, "freeze", lambda: None)
        yield
    StylesCache.get_inner_outer.cache_clear()
    gc.collect()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the demo that a test may change."""
    folder = tmp_path / "demo"
    shutil.copytree(scaffolds.demo_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder
