"""The file through which terminals find a running core: `ID.json` in the runtime folder, readable by its owner only.

It is written once the socket accepts connections, and replaced atomically, so that it is never read half-written.
Standard library only, because a terminal reads descriptors before it imports anything else.
"""

import hashlib
import json
import os
import re
import socket
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.runtime import private_files
from server_core.runtime.paths import runtime_folder
from server_core.runtime.safe_json import parse_json

SUFFIX = ".json"
MAX_BYTES = 64 * 1024
MAX_PID = 2**31 - 1
# JSON parsers do not agree on larger integers (RFC 8259 section 6).
MAX_COUNT = 2**53
# The year 10,000, which `datetime` cannot represent.
MAX_TIMESTAMP = 253_402_300_800.0
_SETTING_PREFIXES = ("WORKBENCH_", "MCP_", "ARCADE_", "OTEL_")
# The folder of the descriptors. It is the same for all cores that a terminal finds, so it distinguishes none.
_RUNTIME_VARIABLE = "WORKBENCH_RUNTIME"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


@dataclass(frozen=True)
class Descriptor:
    """A running core."""

    id: str
    pid: int
    version: str
    project: str
    mode: str
    # In seconds since the epoch.
    started: float
    socket: str
    # Signs the tokens of the link; a process that has it can create a token of any role.
    key: str = field(repr=False)
    # The URL where it serves HTTP, if it does.
    http: str | None = None
    # Its purpose, also for a relay: "link" for terminals, "stdio" or "http" for clients.
    purpose: str = ""
    # A digest of the settings in its environment and of its Python.
    options: str = ""
    terminals: int = 0
    # The number of open sessions of clients.
    clients: int = 0
    # Since when there are neither terminals nor clients, in seconds since the epoch; None if there are.
    idle_since: float | None = None
    # The folder with its captures and accounts; empty if it was written by an earlier version.
    data: str = ""

    def write(self) -> None:
        """Write the descriptor to the runtime folder, replacing an earlier descriptor of this core."""
        path = descriptor_path(self.id)
        temporary = path.with_suffix(".new")
        with open(os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            json.dump(asdict(self), file)
        temporary.replace(path)

    @classmethod
    def read(cls, path: Path) -> "Descriptor":
        """Return the descriptor in a file; ConfigurationError when it cannot be read, or holds none.

        FileNotFoundError, when the file does not exist, is usual: the core may have ended.
        """
        try:
            values = parse_json(private_files.read(path, MAX_BYTES, private_files.check_owner))
            core = cls(**_checked_fields(values, path.stem))
            _check_socket(core.socket)
            return core
        except FileNotFoundError:
            raise
        except OSError as error:
            reason = error.strerror or str(error)
        except ValueError as error:
            reason = str(error)
        raise ConfigurationError(
            f"The descriptor {path} cannot be read ({reason}); delete it if none of your cores wrote it."
        )

    def remove(self) -> None:
        """Delete the descriptor and the socket; safe to call twice."""
        descriptor_path(self.id).unlink(missing_ok=True)
        # Not the path in the descriptor, which may be any file.
        socket_path(self.id).unlink(missing_ok=True)


def _checked_fields(values: Any, core_id: str) -> dict[str, Any]:
    """Return the known fields after a check of types and ranges; ValueError names the field that is not valid."""
    if not isinstance(values, dict):
        raise ValueError("it is not a JSON object")
    # A newer version may have more fields.
    fields = {name: values[name] for name in Descriptor.__dataclass_fields__ if name in values}
    for name in ("id", "pid", "version", "project", "mode", "started", "socket", "key"):
        if name not in fields:
            raise ValueError(f"{name!r} is missing")
    for name, value in fields.items():
        if not _CHECKS[name](value):
            raise ValueError(f"{name!r} is not valid")
    if fields["id"] != core_id or not _ID.fullmatch(core_id):
        raise ValueError("its id is not the name of the file")
    return fields


def _check_socket(path: str) -> None:
    """Raise PermissionError if another user may listen on a socket."""
    try:
        status = os.stat(path)
    except OSError:
        return  # It does not exist, so no core listens.
    try:
        private_files.check_owner(status)
    except PermissionError as error:
        raise PermissionError(error.errno, f"of its socket: {error.strerror}") from error


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_pid(value: object) -> bool:
    return type(value) is int and 1 < value <= MAX_PID


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_COUNT


def _is_timestamp(value: object) -> bool:
    # The comparison is false for NaN, and works for integers that are too large for a float.
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MAX_TIMESTAMP


def _is_path(value: object) -> bool:
    try:
        return isinstance(value, str) and value.startswith("/") and b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        return False


_CHECKS: dict[str, Callable[[object], bool]] = {
    "id": _is_text,
    "pid": _is_pid,
    "version": _is_text,
    "project": _is_text,
    "mode": _is_text,
    "started": _is_timestamp,
    "socket": _is_path,
    "key": _is_text,
    "http": lambda value: value is None or _is_text(value),
    "purpose": _is_text,
    "options": _is_text,
    "terminals": _is_count,
    "clients": _is_count,
    "idle_since": lambda value: value is None or _is_timestamp(value),
    "data": _is_text,
}


def check_id(core_id: str) -> str:
    """Return the id of a core; raise ConfigurationError when it cannot be the name of a file."""
    if not _ID.fullmatch(core_id):
        raise ConfigurationError(f"{core_id!r} cannot be the id of a core; use up to 32 letters, digits, - and _.")
    return core_id


def descriptor_path(core_id: str) -> Path:
    return runtime_folder() / f"{core_id}{SUFFIX}"


def socket_path(core_id: str) -> Path:
    return runtime_folder() / f"{core_id}.sock"


def is_listening(path: Path) -> bool:
    """Return whether a core accepts connections on a Unix socket; the path may be missing, or left by a killed core."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except BlockingIOError:
            return True  # Its queue of connections is full, so it is running.
        except OSError:
            return False
    return True


def environment_digest() -> str:
    """Return a digest of the settings in the environment and of the Python, equal for cores that may be joined."""
    variables = [(name, value) for name, value in os.environ.items() if name.startswith(_SETTING_PREFIXES)]
    settings = sorted(variable for variable in variables if variable[0] != _RUNTIME_VARIABLE)
    return hashlib.sha256(repr((sys.prefix, settings)).encode("utf-8", "surrogateescape")).hexdigest()[:16]
