"""A project, a server and a capture whose names and texts hold what a terminal would obey."""

import contextlib
import json
import os
import socket
import sqlite3
import sys
import threading
import time
import tty
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import tomlkit

from server_core.link.descriptor import Descriptor, socket_path
from server_core.records.capture.capture_schema import FORMAT, SET_META, TABLES
from server_core.runtime import private_files
from server_core.runtime.paths import captures_folder, config_file
from workbench.__main__ import main

EVIL = "\x1b]52;c;aGk=\x07\x1b[2J\r\x9b31m\x85\u202eevil\u2066\x7f\x0b\b"
"""Sets the clipboard, clears the screen, goes back to the start of the line, recolours and reorders; no NUL."""
OBEYED = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\n", "\t"} | set(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""Control characters and marks that reorder text."""

TOOLS = f'''from typing import Annotated
from server_core import tool
from server_core.auth import OAuth2

EVIL = {EVIL!r}

def fail(text: Annotated[str, EVIL] = EVIL) -> str:
    raise ValueError(EVIL + text)

fail.__doc__ = f"Fail.{{EVIL}}\\n\\n{{EVIL}}"
fail = tool(fail, requires_secrets=["EVIL_KEY"])

@tool(requires_auth=OAuth2(id="evil", scopes=["a"]))
def account() -> str:
    """Act in an account."""
    return EVIL

@tool
def plain(text) -> str:
    return "fine"

@tool(name="evil" + EVIL)
def misnamed() -> str:
    """Has a bad name."""
    return ""

@tool(requires_secrets=["KEY" + EVIL])
def secretive() -> str:
    """Needs a secret with a bad name."""
    return ""
'''
SERVER = f"""import json, sys
EVIL = {EVIL + chr(0)!r}

def send(**message):
    print(json.dumps({{"jsonrpc": "2.0"}} | message), flush=True)

print("noise", EVIL, file=sys.stderr, flush=True)
for line in sys.stdin:
    request = json.loads(line)
    id, method = request.get("id"), request["method"]
    if method == "initialize":
        send(id=id, result={{"protocolVersion": "2025-11-25", "capabilities": {{"tools": {{}}, "prompts": {{}},
             "resources": {{}}}}, "serverInfo": {{"name": EVIL, "version": EVIL}}, "instructions": EVIL}})
    elif method == "tools/list":
        schema = {{"type": "object", "properties": {{EVIL: {{"type": "string", "description": EVIL}}}}}}
        send(id=id, result={{"tools": [{{"name": name, "title": EVIL, "description": EVIL, "inputSchema": schema}}
             for name in ("fail", "break", EVIL)]}})
    elif method == "tools/call" and request["params"]["name"] == "fail":
        send(method="notifications/message", params={{"level": EVIL, "logger": EVIL, "data": {{"a": EVIL}}}})
        send(method="notifications/" + EVIL, params={{}})
        token = request["params"].get("_meta", {{}}).get("progressToken")
        send(method="notifications/progress", params={{"progressToken": token, "progress": 1, "message": EVIL}})
        send(id=id, result={{"isError": True, "content": [{{"type": "text", "text": EVIL}}]}})
    elif method == "resources/list":
        send(id=id, result={{"resources": [{{"uri": "x://" + EVIL, "name": EVIL, "mimeType": EVIL}}]}})
    elif method == "resources/templates/list":
        send(id=id, result={{"resourceTemplates": [{{"uriTemplate": "x://{{a}}" + EVIL, "name": EVIL}}]}})
    elif method == "prompts/list":
        send(id=id, result={{"prompts": [{{"name": EVIL, "description": EVIL, "arguments": [{{"name": EVIL}}]}}]}})
    elif id is not None:
        print(EVIL, flush=True)
        send(id=id, error={{"code": -32603, "message": EVIL, "data": EVIL}})
"""
RECORDED = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": EVIL, "version": EVIL}}},
    {"jsonrpc": "2.0", "id": 1, "result": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": EVIL, "version": EVIL}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": EVIL, "arguments": {EVIL: EVIL}}},
    {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": EVIL}]}},
    {"jsonrpc": "2.0", "id": 3, "method": f"tools/{EVIL}", "params": {EVIL: EVIL}},
    {"jsonrpc": "2.0", "id": 3, "error": {"code": -32601, "message": EVIL}},
)  # fmt: skip


def hostile_project(folder: Path) -> Path:
    """Write a project whose folder, files, definitions, failures and settings are hostile."""
    project = folder / f"project{EVIL}"
    project.mkdir()
    (project / "tools.py").write_text(TOOLS, encoding="utf-8")
    (project / f"broken{EVIL}\nserved  faked.py").write_text("from server_core import tool\n(", encoding="utf-8")
    (project / f"raises{EVIL}.py").write_text(f"from server_core import tool\nraise ValueError({EVIL!r})\n", "utf-8")
    (project / "server.py").write_text(SERVER, encoding="utf-8")
    names = ("WORKBENCH_SERVER_NAME", "WORKBENCH_SERVER_TITLE", f"'WORKBENCH_SERVER_{EVIL}'", f"'TOKEN{EVIL}'")
    lines = [f"{name}='{EVIL}\nfaked'\n" for name in names]
    (project / ".env").write_text("".join(lines), encoding="utf-8", newline="")
    described = '[tool.workbench.auth.evil]\nauthorize_url = "https://evil.test/a"\ntoken_url = "https://evil.test/t"\n'
    (project / "pyproject.toml").write_text(described, encoding="utf-8")
    return project


def hostile_config() -> None:
    """Write a configuration of the terminal whose names and values are hostile."""
    values = {"theme": EVIL, "editor": EVIL, EVIL: EVIL}
    keys = {"restart": EVIL, f"no{EVIL}": "f9", EVIL: 1}
    private_files.replace(config_file(), tomlkit.dumps({**values, "keys": keys}).encode())


def hostile_capture() -> Path:
    """Write a capture whose metadata, conversation and responses contain what a terminal would interpret."""
    path = captures_folder() / "evil.capture"
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(TABLES)
        about = {"format": FORMAT, "version": EVIL, "core": EVIL, "project": f"{EVIL}\nfaked", "server": EVIL}
        about["started"] = time.time()
        connection.executemany(SET_META, [(key, str(value)) for key, value in about.items()])
        for seq, message in enumerate(RECORDED, 1):
            asked = "method" in message
            kind = ("request" if "id" in message else "notification") if asked else "response"
            row = (seq, time.time(), "s1", "in" if asked else "out", kind, "", json.dumps(message).encode())
            connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    connection.close()
    return path


@contextlib.contextmanager
def hostile_core() -> Iterator[None]:
    """Pretend that a core runs whose descriptor is hostile."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_path("evil")))
        listener.listen()
        Descriptor("evil", os.getpid(), EVIL, EVIL, EVIL, 1.0, str(socket_path("evil")), "key", EVIL).write()
        yield


def printed(arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch, *, on_terminal: bool) -> str:
    """Run a command line in this process, and return what it wrote to standard output and error.

    Args:
        arguments: the words of the command line.
        monkeypatch: puts the standard streams back.
        on_terminal: let both be a terminal; they are a pipe else.
    """
    with _both_outputs(monkeypatch, on_terminal=on_terminal) as pieces:
        main(arguments)
    return b"".join(pieces).decode("utf-8")


@contextlib.contextmanager
def _both_outputs(monkeypatch: pytest.MonkeyPatch, *, on_terminal: bool) -> Iterator[list[bytes]]:
    pieces: list[bytes] = []
    source, sink = os.openpty() if on_terminal else os.pipe()
    if on_terminal:
        tty.setraw(sink)  # What is written is what is read.
    before = {number: os.dup(number) for number in (0, 1, 2)}
    reader = threading.Thread(target=read_all, args=(source, pieces), daemon=True)
    with monkeypatch.context() as patched, open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        os.close(sink)
        patched.setattr(sys, "stdin", open(0, encoding="utf-8", closefd=False))  # noqa: SIM115
        patched.setattr(sys, "stdout", open(1, "w", encoding="utf-8", closefd=False))  # noqa: SIM115
        patched.setattr(sys, "stderr", open(2, "w", encoding="utf-8", closefd=False))  # noqa: SIM115
        reader.start()
        try:
            yield pieces
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, stored in before.items():
                os.dup2(stored, number)
                os.close(stored)
            reader.join()
            os.close(source)


def read_all(source: int, pieces: list[bytes]) -> None:
    """Read what comes until the other end is closed everywhere."""
    # A terminal without another end is an error (EIO), a pipe without one is at its end.
    with contextlib.suppress(OSError):
        while piece := os.read(source, 65536):
            pieces.append(piece)
