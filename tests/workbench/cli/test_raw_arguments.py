"""The words of a command line, before there is a parser."""

import typer

from tests.tables import each_row
from workbench.cli.command_parser import app
from workbench.cli.raw_arguments import COMMANDS, TARGET_COMMANDS, Plain, read_plain, split


@each_row(
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


@each_row(
    ("line", "plain"),
    [
        ("", Plain()),
        ("tools", Plain(others=["tools"])),
        ("greet name=Ada a:=1", Plain(others=["greet", "name=Ada", "a:=1"])),
        ("tools --reload", Plain({"--reload"}, others=["tools"])),
        ("--url http://x tools", Plain(values={"--url": "http://x"}, others=["tools"])),
        ("--url=http://x?a=b", Plain(values={"--url": "http://x?a=b"})),
        ("--url -", Plain(values={"--url": "-"})),
        ("--url=-x", Plain(values={"--url": "-x"})),
        ("--reload --reload", Plain({"--reload"})),
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
def test_plain_options_are_read_and_the_rest_is_left_to_the_parser(line: str, plain: Plain | None) -> None:
    assert read_plain(line.split(), flags=["--reload"], values=["--url"]) == plain


def test_the_parser_has_exactly_these_commands() -> None:
    group = typer.main.get_command(app)
    assert set(group.commands) == COMMANDS  # type: ignore[attr-defined]
    assert TARGET_COMMANDS <= COMMANDS
