"""What every test stands on: one event loop backend, folders of its own, a plain environment."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The tests and the hundreds of processes that they start compile a module once, whatever the environment says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# How fast examples are made depends on the machine more than on a test. `make test` repeats the same examples, so that
# only a change makes it fail; `make soak` searches for new ones.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("workbench", _COMMON, derandomize=True)
settings.register_profile("soak", _COMMON, max_examples=2000)
settings.load_profile("workbench")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name long values by their beginning: the name of a test is sent between processes and put into variables."""
    return f"{argname} {val[:40]!r}..." if isinstance(val, str | bytes) and len(val) > 200 else None


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def plain_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep the captures, sockets and settings of the user apart from those of the tests."""
    # A parallel run sets the width of the terminal; the terminals of the tests have their own sizes.
    for name in ("NO_COLOR", "FORCE_COLOR", "TEXTUAL_THEME", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    # A Unix socket's path may have about 100 characters, so it cannot lie under pytest's own folders.
    runtime = tempfile.mkdtemp(prefix="wb-")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "workbench-home"))
    monkeypatch.setenv("WORKBENCH_RUNTIME", runtime)
    yield
    shutil.rmtree(runtime, ignore_errors=True)
