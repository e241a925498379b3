"""The words of a command line, before there is a parser."""

import pytest
import typer

from workbench.cli.app import app
from workbench.cli.words import COMMANDS, TARGETED, Options, read_plain, split


@pytest.mark.parametrize(
    ("line", "own", "behind"),
    [
        ("", ["open"], []),
        ("tools", ["open", "tools"], []),
        ("--url http://x", ["open", "--url", "http://x"], []),
        ("-- python server.py --flag", ["open"], ["python", "server.py", "--flag"]),
        ("call echo a=1 -- server -- x", ["call", "echo", "a=1"], ["server", "--", "x"]),
        ("list", ["list"], []),
        ("./list", ["open", "./list"], []),
        ("--help", ["--help"], []),
        ("--version", ["--version"], []),
    ],
)
def test_a_line_names_a_command_or_means_open(line: str, own: list[str], behind: list[str]) -> None:
    assert split(line.split()) == (own, behind)


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("", {}),
        ("tools", {"path": "tools"}),
        ("a=b", {"path": "a=b"}),
        ("tools --reload", {"path": "tools", "--reload": True}),
        ("--url http://x", {"--url": "http://x"}),
        ("--url=http://x?a=b", {"--url": "http://x?a=b"}),
        ("a b", None),
        ("--reload --reload", {"--reload": True}),
        ("--reload=yes", None),
        ("--url", None),
        ("--url --reload", None),
        ("--url=", None),
        ("--url a --url b", None),
        ("--help", None),
        ("-h", None),
        ("--relaod", None),
    ],
)
def test_plain_options_are_read_and_the_rest_is_left_to_the_parser(line: str, options: Options | None) -> None:
    assert read_plain(line.split(), flags=["--reload"], values=["--url"], positional="path") == options


def test_a_word_where_none_may_be_is_left_to_the_parser() -> None:
    assert read_plain(["x"]) is None


def test_the_parser_has_exactly_these_commands() -> None:
    group = typer.main.get_command(app)
    assert set(group.commands) == COMMANDS  # type: ignore[attr-defined]
    assert TARGETED <= COMMANDS
