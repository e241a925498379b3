"""The command line of a core."""

from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.process.command_line import Arguments, parse
from tests.tables import each_row


def test_a_valid_command_line_is_parsed() -> None:
    for line, chosen in (
        ("", Arguments(path=Path())),
        ("demo --stdio", Arguments(path=Path("demo"), stdio=True)),
        ("--stdio --reload demo", Arguments(path=Path("demo"), stdio=True, reload=True)),
        ("--http --host 0.0.0.0 --port 9", Arguments(path=Path(), http=True, host="0.0.0.0", port=9)),
        ("--http --port=0", Arguments(path=Path(), http=True, port=0)),
        ("--core-id abc --no-capture", Arguments(path=Path(), core_id="abc", capture=False)),
        ("--upstream http://a/mcp", Arguments(upstream="http://a/mcp")),
        ("--stdio -- npx server --port x", Arguments(stdio=True, command=("npx", "server", "--port", "x"))),
        ("-h", Arguments(path=Path(), help=True)),
    ):
        assert parse(line.split()) == chosen


def test_an_invalid_command_line_is_explained_with_the_usage() -> None:
    for line, complaint in (
        ("--loud", "Unknown option --loud"),
        ("a b", "b is a second"),
        ("--port", "--port needs a value"),
        ("--port many", "'many', but must be a number up to 65535"),
        ("--port 70000", "must be a number up to 65535"),
        ("--stdio --http", "only one of --stdio and --http"),
        ("demo --upstream http://a", "Give only one of PATH"),
        ("demo -- npx", "Give only one of PATH"),
        ("--upstream http://a -- npx", "Give only one of PATH"),
    ):
        with pytest.raises(ConfigurationError, match=complaint) as refusal:
            parse(line.split())
        assert "usage: python -m server_core" in str(refusal.value)


@each_row(("line", "mode"), [("", "link"), ("--stdio", "stdio"), ("--http", "http"), ("--upstream u", "link")])
def test_the_mode_is_what_it_serves(line: str, mode: str) -> None:
    assert parse(line.split()).mode == mode
