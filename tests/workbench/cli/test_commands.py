"""The commands: each in the file with its name."""

from workbench.cli.command_parser import app
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
