"""Registers the commands with the parser."""

from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from server_core.runtime.version import VERSION
from workbench.cli import (
    attach,
    auth,
    call,
    captures,
    config,
    console,
    demo,
    files,
    hold,
    lint,
    new,
    ps,
    replay,
    secret,
    serve,
    servers,
    settings,
    stop,
    watch,
)
from workbench.cli import list as list_
from workbench.cli import open as open_
from workbench.cli.command_run import DONE, INTERRUPTED, USAGE
from workbench.cli.raw_arguments import TARGET_COMMANDS

_NO_OPTION = "No such option: "

app = typer.Typer(
    name="workbench",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)
app.command("open")(open_.command)
app.command("demo")(demo.command)
app.command("attach")(attach.command)
app.command("new")(new.command)
app.command("serve")(serve.command)
app.command("list")(list_.command)
app.command("files")(files.command)
app.command("lint")(lint.command)
# Its help is also that of a tool.
app.command("call", add_help_option=False)(call.command)
app.add_typer(secret.group, name="secret")
app.command("settings")(settings.command)
app.add_typer(config.group, name="config")
app.add_typer(auth.group, name="auth")
app.command("servers")(servers.command)
app.command("replay")(replay.command)
app.command("watch")(watch.command)
app.add_typer(captures.group, name="captures")
app.add_typer(hold.group, name="hold")
app.command("ps")(ps.command)
app.command("stop")(stop.command)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"workbench {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version.", callback=_show_version, is_eager=True),
) -> None:
    """Write and debug MCP tools: serve a folder of Python tools, call them, watch the wire.

    `workbench [PATH]` opens the terminal on a project (default: here), `workbench -- COMMAND ARGS...` on any server.
    """


def run(words: Sequence[str], server_command: Sequence[str]) -> int:
    """Parse a command line, run the command and return its exit code; `server_command` are the words after `--`."""
    if server_command and words[0] not in TARGET_COMMANDS:
        console.fail(f"{words[0]} accepts no command after `--`")
        return USAGE
    try:
        code = typer.main.get_command(app).main(
            [*words], prog_name="workbench", standalone_mode=False, obj=[*server_command]
        )
    except TyperException as error:
        # The parser adds the type of the error when a value is not a valid choice; users do not need it.
        reason = error.format_message().replace("Value error, ", "").rstrip(".")
        console.fail(f"{reason}{_hint(words, reason)}. See: {_command_path(error, words)} --help")
        return USAGE
    except SystemExit as ended:
        # The parser exits with 1 when the reader of its output has closed it.
        return USAGE if ended.code == 1 else int(ended.code or DONE)
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _hint(words: Sequence[str], reason: str) -> str:
    """Return a hint for an argument of a tool that was written as an option of the command."""
    if words[0] != "call" or not reason.startswith(_NO_OPTION):
        return ""
    name = reason.removeprefix(_NO_OPTION).split()[0].lstrip("-")
    return f"; an argument of the tool is written {name}=VALUE"


def _command_path(error: TyperException, words: Sequence[str]) -> str:
    """Return the command whose help describes what is wrong, such as `workbench captures delete`."""
    context = getattr(error, "ctx", None)
    if context is not None:
        return str(context.command_path)
    return f"workbench {words[0]}" if words and not words[0].startswith("-") else "workbench"
