"""The servers that the terminal can open: those used before, and those in the files of known clients.

The files of clients are only read. Which servers were used is stored in `servers.json` in the folder for persistent
data, without the values of variables and headers: an entry of a client's file is stored as a reference to it.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.runtime import private_files
from server_core.runtime.paths import data_folder
from server_core.runtime.safe_json import parse_json
from workbench.model.json_members import objects_in, text_in, texts_in
from workbench.model.servers.known_clients import CLIENTS, KnownClient
from workbench.model.servers.known_server import RECENT, KnownServer
from workbench.model.servers.server_file import read_servers

_MAX_BYTES = 10_000_000
_MAX_RECENT = 50


async def find_servers(project: Path) -> list[KnownServer]:
    """Return the same as `known_servers`; `project` is a folder or file of tools."""
    # In a thread: the files may be large, or on a slow disk.
    return await asyncio.to_thread(lambda: known_servers(project if project.is_dir() else project.parent))


def known_servers(folder: Path, platform: str = sys.platform) -> list[KnownServer]:
    """Return all servers, those used last first; `folder` is that of the project."""
    listed = [server for client, path, project in _files(folder, platform) for server in _read(client, path, project)]
    by_key = {_key(server): server for server in listed}
    recent = []
    for server in _recent():
        if not server.file:
            recent.append(server)
        elif (entry := by_key.pop(_key(server), None)) is not None:
            recent.append(replace(entry, used=server.used))
    return recent + [server for server in listed if _key(server) in by_key]


def remember_server(server: KnownServer) -> None:
    """Store that a server was used now; a folder that cannot be written to is no reason to disturb the user."""
    now = replace(server, used=time.time())
    try:
        # Another terminal may store a server at the same time.
        with private_files.lock_folder(data_folder()):
            others = [other for other in _recent() if _key(other) != _key(now)]
            entries = [_to_json(entry) for entry in [now, *others][:_MAX_RECENT]]
            private_files.replace(_recent_file(), json.dumps({"servers": entries}, indent=1).encode())
    except (OSError, ConfigurationError):
        return


def _files(folder: Path, platform: str) -> Iterator[tuple[KnownClient, Path, str]]:
    """Yield each file that exists, with its client and the folder of its project."""
    for client in CLIENTS:
        paths = [(folder / name, str(folder)) for name in client.in_project]
        paths += [(Path(os.path.expandvars(name)).expanduser(), "") for name in client.user_files(platform)]
        for path, project in paths:
            # Unlike the method of the path, it is False for one in a folder that cannot be read.
            if os.path.isfile(path):
                yield client, path, project


def _read(client: KnownClient, path: Path, project: str) -> list[KnownServer]:
    file = _short_path(path)
    try:
        text = private_files.read(path, _MAX_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "") or "it is not UTF-8"
        return [KnownServer("", client.name, file, problem=f"It cannot be read: {reason}.")]
    return read_servers(text, client, file, os.environ, project)


def _short_path(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _key(server: KnownServer) -> tuple[object, ...]:
    """What makes two servers the same: the entry of a file, else the command or URL."""
    return (server.file, server.name) if server.file else (server.command, server.url)


def _recent() -> list[KnownServer]:
    """Return the servers used before, those used last first; none if their file is missing or invalid."""
    try:
        document = parse_json(private_files.read(_recent_file(), _MAX_BYTES))
    except (OSError, ValueError, ConfigurationError):
        return []
    return [_from_json(entry) for entry in objects_in(document if isinstance(document, dict) else {}, "servers")]


def _recent_file() -> Path:
    return data_folder() / "servers.json"


def _to_json(server: KnownServer) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": server.name, "used": server.used}
    if server.file:
        return entry | {"source": server.source, "file": server.file}
    return entry | ({"url": server.url} if server.url else {"command": list(server.command)})


def _from_json(entry: dict[str, Any]) -> KnownServer:
    used = entry.get("used")
    return KnownServer(
        text_in(entry, "name"),
        text_in(entry, "source") or RECENT,
        text_in(entry, "file"),
        command=tuple(texts_in(entry, "command")),
        url=text_in(entry, "url"),
        used=float(used) if isinstance(used, int | float) else 0.0,
    )
