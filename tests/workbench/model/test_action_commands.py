"""The commands of what a user does in the terminal: each is one that the command line accepts."""

import re
import shlex
from typing import Any

import typer

from tests.tables import each_row
from workbench.cli.command_parser import app
from workbench.model.action_commands import (
    COMMANDS,
    MAX_CHARACTERS,
    CalledServer,
    CommandLog,
    action_command,
)
from workbench.tui.actions import ACTIONS

HERE = CalledServer("/home/ada/cafe", is_relay=False, is_here=True)
ELSEWHERE = CalledServer("/home/ada/a cafe", is_relay=False)
URL = CalledServer("https://mcp.example.org/mcp", is_relay=True)
COMMAND = CalledServer("npx -y server-everything", is_relay=True)
FACTS = {name: "7" for line in COMMANDS.values() for name in re.findall(r"\{(\w+)\}", line)}


@each_row("action", COMMANDS)
def test_each_command_is_one_of_an_action_and_the_command_line_accepts_it(action: str) -> None:
    names = {f"{each.place}.{each.id}" if each.place else each.id for each in ACTIONS}
    assert action.split()[0] in names
    for server in (HERE, ELSEWHERE, URL):
        program, *words = shlex.split(action_command(action, server, FACTS))
        assert program == "workbench"
        command: Any = typer.main.get_command(app)
        while commands := getattr(command, "commands", None):
            command = commands[words.pop(0)]
        command.make_context(command.name, words)


@each_row(
    ("server", "text"),
    [
        (HERE, "workbench call greet name=Ada"),
        (ELSEWHERE, "workbench call greet name=Ada --project '/home/ada/a cafe'"),
        (URL, "workbench call greet name=Ada --url https://mcp.example.org/mcp"),
        (COMMAND, "workbench call greet name=Ada -- npx -y server-everything"),
    ],
)
def test_a_command_names_the_server_that_it_would_not_find_by_itself(server: CalledServer, text: str) -> None:
    assert action_command("tools.run", server, {"tool": "greet", "arguments": ["name=Ada"]}) == text


def test_a_command_on_a_project_names_no_other_server() -> None:
    assert action_command("secrets.set_secret", URL, {"key": "CITY"}) == "workbench secret set CITY"


def test_words_are_quoted_for_a_shell() -> None:
    facts = {"capture": "/a b.capture", "name": "it's slow; rm -rf"}
    text = action_command("sessions.rename_capture", HERE, facts)
    assert shlex.split(text)[-2:] == ["/a b.capture", "it's slow; rm -rf"]


def test_a_command_with_the_content_of_a_file_is_not_logged() -> None:
    log = CommandLog(lambda: 0.0)
    log.add("x" * (MAX_CHARACTERS + 1))
    assert not log.commands
