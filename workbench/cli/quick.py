"""Runs plain command lines without the parser, whose import takes as long as the rest of a call.

A client that starts `workbench serve --stdio` waits for its first response, a user who types `workbench` for the first
screen, a script for each `workbench call`. For command lines that are not plain, these functions return None, and the
parser reads them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.raw_arguments import TARGET_COMMANDS, Plain, read_plain

if TYPE_CHECKING:
    from workbench.client.target import Target


def run_plain(name: str, words: list[str], server_command: list[str]) -> int | None:
    """Run a command and return its exit code; None when it has no plain form, or the words are not plain."""
    read = _COMMANDS.get(name)
    if read is None or (server_command and name not in TARGET_COMMANDS):
        return None
    return read(words, server_command)


def _serve(words: list[str], server_command: list[str]) -> int | None:
    plain = read_plain(words, flags=["--stdio", "--reload"])
    if plain is None or "--stdio" not in plain.flags or len(plain.others) > 1 or (server_command and plain.others):
        return None
    from server_core.__main__ import main

    flags = sorted(plain.flags)
    return main([*flags, "--", *server_command] if server_command else [*(plain.others or ["."]), *flags])


def _open(words: list[str], server_command: list[str]) -> int | None:
    plain = read_plain(words, flags=["--in-process", "--fresh"], values=["--project", "--url"])
    if plain is None or len(plain.others) > 1:
        return None
    from workbench.cli.command_run import guarded
    from workbench.cli.terminal import open_terminal
    from workbench.client.target import Target

    def open_it() -> int:
        path = _path(plain.others[0]) if plain.others else None
        target = Target.choose(
            _path(plain.value("--project")), plain.value("--url") or "", tuple(server_command), path=path
        )
        return open_terminal(target, in_process="--in-process" in plain.flags, fresh="--fresh" in plain.flags)

    return guarded(open_it)


def _demo(words: list[str], server_command: list[str]) -> int | None:
    plain = read_plain(words, flags=["--in-process", "--fresh"])
    if plain is None or plain.others:
        return None
    from workbench.cli.command_run import guarded
    from workbench.cli.terminal import open_demo

    return guarded(lambda: open_demo(in_process="--in-process" in plain.flags, fresh="--fresh" in plain.flags))


def _attach(words: list[str], server_command: list[str]) -> int | None:
    plain = read_plain(words)
    if plain is None or len(plain.others) > 1:
        return None
    from workbench.cli.command_run import guarded
    from workbench.cli.terminal import attach

    return guarded(lambda: attach(plain.others[0] if plain.others else None))


def _list(words: list[str], server_command: list[str]) -> int | None:
    plain = read_plain(words, flags=["--json"], values=["--project", "--url"])
    if plain is None or plain.others:
        return None
    from workbench.cli.catalog_listing import list_catalog
    from workbench.cli.command_run import guarded, run

    return guarded(lambda: run(list_catalog(_target(plain, server_command), "--json" in plain.flags)))


def _call(words: list[str], server_command: list[str]) -> int | None:
    values = ["--args", "--answer", "--sample", "--project", "--url"]
    plain = read_plain(words, flags=["--json", "--accept"], values=values)
    if plain is None or not plain.others:
        return None
    from workbench.cli.call_arguments import parse_object
    from workbench.cli.call_order import CallOrder, call_tool, read_base
    from workbench.cli.command_run import guarded, run

    def call() -> int:
        answer = plain.value("--answer")
        order = CallOrder(
            target=_target(plain, server_command),
            tool=plain.others[0],
            words=tuple(plain.others[1:]),
            base=read_base(plain.value("--args") or ""),
            answers=() if answer is None else (parse_object(answer, "--answer"),),
            accept="--accept" in plain.flags,
            sample=plain.value("--sample"),
            as_json="--json" in plain.flags,
        )
        return run(call_tool(order))

    return guarded(call)


_COMMANDS: dict[str, Callable[[list[str], list[str]], int | None]] = {
    "serve": _serve,
    "open": _open,
    "demo": _demo,
    "attach": _attach,
    "list": _list,
    "call": _call,
}


def _target(plain: Plain, server_command: list[str]) -> "Target":
    from workbench.client.target import Target

    return Target.choose(_path(plain.value("--project")), plain.value("--url") or "", tuple(server_command))


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)
