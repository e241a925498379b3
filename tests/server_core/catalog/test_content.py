"""Files as resources: text or bytes as they are then, bounded, and whatever may lie at a path."""

import os
import stat
from pathlib import Path

import pytest

from server_core import MCPApp
from server_core.catalog.content import FileContents
from server_core.errors import ResourceError, ResourceNotFound
from server_core.execution.prompts_and_resources import read_resource
from tests.waiting import within

pytestmark = pytest.mark.promises("resources and prompts")


@pytest.mark.parametrize(
    ("data", "content"), [(b"", ""), ("ünï\n".encode(), "ünï\n"), (b"\xff\x00", b"\xff\x00"), (b"\x00", "\x00")]
)
def test_a_file_is_text_unless_it_cannot_be(tmp_path: Path, data: bytes, content: str | bytes) -> None:
    (tmp_path / "a").write_bytes(data)
    assert FileContents(tmp_path / "a")() == content


def test_a_file_is_read_again_each_time_and_through_links(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    contents = FileContents(tmp_path / "link")
    assert contents() == "1"
    (tmp_path / "a").write_text("2")
    assert contents() == "2"


@pytest.mark.parametrize("path", ["missing", "file/below", "dangling"])
def test_a_file_that_is_not_there_is_no_such_resource(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    with pytest.raises(ResourceNotFound):
        FileContents(tmp_path / path)()


def test_a_file_that_is_too_big_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1001)
    with pytest.raises(ResourceError, match=r"it has more than 1,000 bytes\."):
        FileContents(tmp_path / "a", limit=1000)()
    assert FileContents(tmp_path / "a", limit=1001)() == "x" * 1001
    with pytest.raises(ResourceError, match="is not a regular file"):
        FileContents(Path("/dev/zero"))()


async def test_a_pipe_and_a_folder_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    app = MCPApp("x")
    app.add_file_resource("x://pipe", path=tmp_path / "pipe")
    app.add_file_resource("x://folder", path=tmp_path)
    catalog, problems = app.build()
    assert not problems
    with pytest.raises(ResourceError, match="is not a regular file"):
        await within(read_resource(catalog, "x://pipe", None))
    with pytest.raises(ResourceError, match="cannot be read: Is a directory"):
        await within(read_resource(catalog, "x://folder", None))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_an_error_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    (tmp_path / "a").chmod(stat.S_IWUSR)
    with pytest.raises(ResourceError, match="cannot be read: Permission denied") as caught:
        FileContents(tmp_path / "a")()
    assert str(tmp_path) not in str(caught.value)


async def test_a_missing_file_is_a_problem_and_read_once_it_exists(tmp_path: Path) -> None:
    app = MCPApp("x")
    app.add_file_resource("x://a", path=tmp_path / "a.md", title="A")
    catalog, (problem,) = app.build()
    assert problem.severity == "warning"
    assert problem.message.startswith(f"Resource 'x://a': The file {tmp_path / 'a.md'} does not exist")
    assert catalog.resources["x://a"].definition == {
        "uri": "x://a",
        "name": "x://a",
        "title": "A",
        "mimeType": "text/markdown",
    }
    assert catalog.resources["x://a"].watch == (str(tmp_path / "a.md"),)
    (tmp_path / "a.md").write_text("# A")
    assert await read_resource(catalog, "x://a", None) == [{"uri": "x://a", "mimeType": "text/markdown", "text": "# A"}]
