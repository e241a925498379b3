"""The commands: each in the file with its name."""

import pytest

from tests.commands import DEMO
from workbench.cli.command_parser import app, run
from workbench.cli.raw_arguments import COMMANDS


def test_each_command_is_in_the_file_with_its_name() -> None:
    functions = {command.name: command.callback for command in app.registered_commands}
    functions |= {
        group.name: command.callback
        for group in app.registered_groups
        if group.typer_instance is not None
        for command in group.typer_instance.registered_commands
    }
    assert {name: function.__module__ for name, function in functions.items() if function is not None} == {
        name: f"workbench.cli.{name}" for name in COMMANDS
    }


@pytest.mark.parametrize(
    ("words", "path"),
    [(["captures", "delete"], "captures delete"), (["call", "--nope"], "call"), (["captures", "nope"], "captures")],
)
def test_wrong_use_names_the_help_of_its_command(
    words: list[str], path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(words, []) == 2
    assert f"See: workbench {path} --help" in capfd.readouterr().err


def test_a_folder_to_list_is_given_as_to_other_commands(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", str(DEMO), "--project", str(DEMO)], []) == 2
    assert "PATH and --project have the same meaning" in capfd.readouterr().err
