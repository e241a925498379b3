"""Which server is meant, and the way to it."""

import sys
from pathlib import Path
from typing import Any

import pytest

from server_core.errors import ConfigurationError, ConnectionFailed
from server_core.records.capture.capture_listing import list_captures
from tests.commands import DEMO
from tests.tables import each_row
from tests.waiting import within
from workbench.client.session import ClientSession
from workbench.client.target import Target, matching_tools, route_to

FOREIGN = (sys.executable, str(Path(__file__).parents[1] / "cli" / "foreign_server.py"))


@each_row(
    ("named", "target"),
    [
        ((Path("tools"), "", ()), Target(project=Path("tools"))),
        ((None, "http://x/mcp", ()), Target(url="http://x/mcp")),
        ((None, "http://x/mcp", (), None, (("X-Key", "k"),)), Target(url="http://x/mcp", headers=(("X-Key", "k"),))),
        ((None, "", ("python", "server.py")), Target(command=("python", "server.py"))),
        ((None, "", (), Path("tools")), Target(project=Path("tools"))),
    ],
)
def test_a_server_is_named_in_any_of_the_ways(named: tuple[Any, ...], target: Target) -> None:
    assert Target.choose(*named) == target


def test_the_folder_here_is_meant_when_nothing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Target.choose(None, "", ()) == Target(project=tmp_path)


@each_row(
    ("named", "message"),
    [
        ((Path("tools"), "http://x", ()), "choose one server"),
        ((None, "http://x", ("y",)), "choose one server"),
        ((None, "http://x", (), Path("tools")), "choose one server"),
        ((Path("a"), "", (), Path("b")), "PATH and --project"),
        ((None, "localhost:8000", ()), "http://HOST:PORT/mcp"),
        ((Path("tools"), "", (), None, (("X-Key", "k"),)), "--header is for servers over HTTP"),
    ],
)
def test_two_servers_or_none_at_all_are_refused(named: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Target.choose(*named)


def test_a_target_does_not_show_its_headers() -> None:
    assert "secret" not in repr(Target(url="http://x", headers=(("Authorization", "Bearer secret"),)))


def test_a_target_has_a_title_for_people() -> None:
    assert Target(command=("python", "my server.py")).title == "python 'my server.py'"
    assert Target(url="http://x").title == "http://x"
    assert Target(project=Path("tools")).title == "tools"


async def test_a_project_is_served_in_this_process_and_captured_on_request() -> None:
    out, stdin = sys.stdout, sys.stdin
    await within((await within(route_to(Target(project=DEMO)))).close())
    route = await within(route_to(Target(project=DEMO), capture=True))
    session = await within(ClientSession.open(await within(route.connect())))
    assert "greet" in [tool["name"] for tool in await within(session.list_tools())]
    await within(session.close())
    await within(route.close())
    assert (sys.stdout, sys.stdin) == (out, stdin)
    (capture,) = list_captures()
    assert (capture.ended is not None, capture.of_command) == (True, True)


async def test_a_command_is_started_once_for_each_connection() -> None:
    lines: list[bytes] = []
    route = await within(route_to(Target(command=FOREIGN), on_stderr=lines.append))
    for _ in range(2):
        session = await within(ClientSession.open(await within(route.connect())))
        assert session.server_info["name"] == "foreign"
        await within(session.close())
    await within(route.close())
    assert lines == [b"a warm welcome"] * 2
    assert route.problems == ()


async def test_a_command_that_is_not_there_cannot_be_started() -> None:
    route = await within(route_to(Target(command=("no-such-command-anywhere",))))
    with pytest.raises(ConnectionFailed, match="no-such-command-anywhere"):
        await within(route.connect())


async def test_there_is_no_route_to_a_project_that_is_not_there(tmp_path: Path) -> None:
    out = sys.stdout
    with pytest.raises(ConfigurationError, match="gone"):
        await within(route_to(Target(project=tmp_path / "gone")))
    assert sys.stdout is out


pytestmark = pytest.mark.promises("tool names")

NAMES = ("EchoServer_SayHello", "EchoServer_Add", "Other_Add", "Other_Data_fetch-utility", "plain", "file_add")


@each_row(
    ("typed", "meant"),
    [
        ("EchoServer_SayHello", ("EchoServer_SayHello",)),
        ("EchoServer.SayHello", ("EchoServer_SayHello",)),
        ("EchoServer.SayHello@2.0.0", ("EchoServer_SayHello",)),
        ("Other.Data.fetch-utility", ("Other_Data_fetch-utility",)),
        ("say_hello", ("EchoServer_SayHello",)),
        ("SayHello", ("EchoServer_SayHello",)),
        ("data.fetch-utility", ("Other_Data_fetch-utility",)),
        ("add", ("EchoServer_Add", "Other_Add")),
        ("plain", ("plain",)),
        ("Plain", ()),
        ("echoserver_sayhello", ()),
        ("", ()),
    ],
)
def test_a_name_matches_all_tools_that_it_may_mean(typed: str, meant: tuple[str, ...]) -> None:
    assert matching_tools(typed, NAMES) == meant
