"""The file that tells terminals of a running core: `ID.json` in the runtime folder, for its owner alone.

It is written once the socket takes connections, and replaced in one step, so that nobody reads half of it. Standard
library only: a terminal reads it before it imports anything else.
"""

import json
import os
import re
import socket
from dataclasses import asdict, dataclass, field
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.places import runtime_folder

SUFFIX = ".json"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


@dataclass(frozen=True)
class Descriptor:
    """A running core.

    Attributes:
        id: its name among those that run.
        pid: its process.
        version: of the product.
        project: what it serves, for people.
        mode: what it was started for.
        started: when, in seconds since the epoch.
        socket: the path of its socket.
        key: signs the tokens of the link.
        http: the URL where it serves HTTP, if it does.
        purpose: what it was started for, also where it relays: "link" for terminals, "stdio" or "http" for clients.
        options: a digest of the settings in its environment and of its Python.
        terminals: how many are attached.
        clients: how many sessions of clients are open.
        idle_since: since when there is neither, in seconds since the epoch; None while there is one.
    """

    id: str
    pid: int
    version: str
    project: str
    mode: str
    started: float
    socket: str
    key: str = field(repr=False)
    http: str | None = None
    purpose: str = ""
    options: str = ""
    terminals: int = 0
    clients: int = 0
    idle_since: float | None = None

    def write(self) -> None:
        """Put the descriptor into the runtime folder, in place of an earlier one of this core."""
        path = descriptor_path(self.id)
        unfinished = path.with_suffix(".new")
        with open(os.open(unfinished, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            json.dump(asdict(self), file)
        unfinished.replace(path)

    @classmethod
    def read(cls, path: Path) -> "Descriptor":
        """Return the descriptor in a file.

        Raises:
            OSError: when the file is gone or cannot be read.
            ValueError: when it holds no descriptor.
        """
        try:
            told = json.loads(path.read_bytes())
            # A newer version may say more.
            return cls(**{name: told[name] for name in cls.__dataclass_fields__ if name in told})
        except TypeError as error:
            raise ValueError(f"{path} holds no descriptor of a core") from error

    def remove(self) -> None:
        """Take the descriptor and the socket away; safe to call twice."""
        descriptor_path(self.id).unlink(missing_ok=True)
        Path(self.socket).unlink(missing_ok=True)


def check_id(id: str) -> str:
    """Return the id of a core.

    Raises:
        ConfigurationError: when it cannot be the name of a file.
    """
    if not _ID.fullmatch(id):
        raise ConfigurationError(f"{id!r} cannot be the id of a core; use up to 32 letters, digits, - and _.")
    return id


def descriptor_path(id: str) -> Path:
    """Return where the descriptor of a core lies while it runs."""
    return runtime_folder() / f"{id}{SUFFIX}"


def socket_path(id: str) -> Path:
    """Return where the socket of a core lies while it runs."""
    return runtime_folder() / f"{id}.sock"


def is_listening(path: Path) -> bool:
    """Return whether somebody takes connections on a Unix socket: the sign of life of a core.

    Args:
        path: the socket; what a killed core left there, or nothing, is no sign of life.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except BlockingIOError:
            return True  # Its queue of connections is full: it is busy, and alive.
        except OSError:
            return False
    return True
