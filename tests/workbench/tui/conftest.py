"""A fixed time zone and all colours, for the same screens everywhere; apps that are freed; and a project to change."""

import gc
import itertools
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual._styles_cache import StylesCache

import scaffolds
from tests.workbench.tui.snapshots import SnapSizes


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use UTC for times of day."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a home folder without the files of other programs, such as those of MCP clients."""
    home = tmp_path.with_name(f"{tmp_path.name}-home")
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))


@pytest.fixture(autouse=True)
def all_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a terminal with all colours: themes are adapted to those that it can show."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.fixture(scope="session")
def frozen_modules() -> None:
    """Take all that exists before the first app out of garbage collections, which makes those of apps quick."""
    gc.collect()
    gc.freeze()


_tests = itertools.count(1)
TESTS_PER_COLLECTION = 8
"""A collection takes a tenth of a second, and an app has some ten megabytes in cycles."""


@pytest.fixture(autouse=True)
def freed_apps(frozen_modules: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Free the apps of the tests.

    An app freezes all objects when it starts, since it is the only app of its process; here that would keep those of
    all earlier tests. Textual has a cache by widget, which would keep what the last thousand widgets have drawn.
    """
    with monkeypatch.context() as patched:
        patched.setattr(gc, "freeze", lambda: None)
        yield
    StylesCache.get_inner_outer.cache_clear()
    if next(_tests) % TESTS_PER_COLLECTION == 0:
        gc.collect()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the demo that a test may change."""
    folder = tmp_path / "demo"
    shutil.copytree(scaffolds.demo_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def snap_sizes(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Iterator[SnapSizes]:
    """Compares the screen of an open app with its snapshots at every size."""
    pictures = SnapSizes(snapshot.use_extension(SVGImageExtension), request.node)
    yield pictures
    if pictures.different:
        pytest.fail(
            f"Not as in the snapshots: {', '.join(pictures.different)}. See snapshot_report.html.", pytrace=False
        )
