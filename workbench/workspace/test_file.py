"""The file of a project to which tests of recorded calls are added."""

import asyncio
import re
from pathlib import Path
from typing import NamedTuple

from server_core.errors import ConfigurationError

FILE = Path("tests", "test_recorded_calls.py")

_HEAD = '"""Calls that were recorded in the workbench, with the results that they had."""\n'
_NAME = re.compile(r"def (test_\w+)\(")


class AddedTest(NamedTuple):
    """A test that was added to a file."""

    name: str
    path: Path


async def add_test(folder: Path, test: str) -> AddedTest:
    """Add a test to the file of a project, with a number if its name is in use.

    Raises:
        ConfigurationError: when the file cannot be written.
    """
    return await asyncio.to_thread(_add, folder, test)


def _add(folder: Path, test: str) -> AddedTest:
    path = folder / FILE
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else _HEAD
        name = _NAME.findall(test)[0]
        used = set(_NAME.findall(before))
        free = next(each for number in range(1, len(used) + 2) if (each := _numbered(name, number)) not in used)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{before.rstrip()}\n\n\n{test.replace(name, free, 1)}", encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The test was not written to {path}: {error}") from error
    return AddedTest(free, path)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"
