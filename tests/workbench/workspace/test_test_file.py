"""Tests of recorded calls in a project: each has a name of its own, and passes at once."""

import asyncio
import sys
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from tests.small_project import small_project
from tests.waiting import within
from workbench.workspace.test_file import FILE, add_test

_TEST = "def test_shout(mcp_client):\n    assert mcp_client.call_tool('shout', {'text': 'a'}).text == 'A'\n"


async def test_tests_are_added_with_names_of_their_own_and_pass(tmp_path: Path) -> None:
    project = small_project(tmp_path / "small")
    names = [(await add_test(project, _TEST)).name for _ in range(3)]
    assert names == ["test_shout", "test_shout_2", "test_shout_3"]
    command = (sys.executable, "-m", "pytest", "-q", str(FILE))
    run = await asyncio.create_subprocess_exec(*command, cwd=project, stdout=asyncio.subprocess.PIPE)
    output, _ = await within(run.communicate())
    assert b"3 passed" in output, output


async def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "tests").write_text("a file")
    with pytest.raises(ConfigurationError, match="was not written"):
        await add_test(tmp_path, _TEST)
