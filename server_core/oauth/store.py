"""Stores tokens and registered clients: in memory, or in a file that only its owner can read.

Rule 1: tokens are stored by authorization server and resource, clients by authorization server.
Rule 2: the file is replaced atomically, with mode 0600 in a folder with mode 0700; a lock prevents lost updates between
processes.
Rule 3: an unreadable file counts as missing: at worst, the user has to consent again.
"""

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from server_core.errors import ConfigurationError
from server_core.oauth.registration import OAuthClient
from server_core.oauth.tokens import Tokens
from server_core.runtime import paths, private_files

FORMAT = 1
MAX_TOKENS = 200
LONGEST_FILE = 16 * 1024 * 1024

Stored = TypeVar("Stored", Tokens, OAuthClient)


class TokenStore(Protocol):
    """Stores tokens and clients."""

    def tokens(self, server: str) -> Tokens | None:
        """Return the tokens that were stored last for a server."""
        ...

    def keep_tokens(self, tokens: Tokens) -> None:
        """Store tokens, in place of those of the same issuer for the same resource."""
        ...

    def drop_tokens(self, tokens: Tokens) -> None:
        """Remove the tokens of the same issuer for the same resource."""
        ...

    def client(self, issuer: str) -> OAuthClient | None:
        """Return the client that was registered with an authorization server."""
        ...

    def keep_client(self, issuer: str, client: OAuthClient) -> None:
        """Store a registered client."""
        ...

    def drop_client(self, issuer: str) -> None:
        """Remove the client that was registered with an authorization server."""
        ...


@dataclass
class Contents:
    """The contents of a store.

    Attributes:
        tokens: issuer and resource -> tokens, the latest last.
        clients: issuer -> client.
    """

    tokens: dict[tuple[str, str], Tokens] = field(default_factory=dict)
    clients: dict[str, OAuthClient] = field(default_factory=dict)

    def latest(self, server: str) -> Tokens | None:
        """Return the tokens that were stored last for a server."""
        return next((entry for entry in reversed(self.tokens.values()) if entry.server == server), None)

    def keep(self, tokens: Tokens) -> None:
        """Store tokens as the latest, and remove the oldest when there are too many."""
        self.drop(tokens)
        self.tokens[tokens.issuer, tokens.resource] = tokens
        while len(self.tokens) > MAX_TOKENS:
            del self.tokens[next(iter(self.tokens))]

    def drop(self, tokens: Tokens) -> None:
        """Remove tokens."""
        self.tokens.pop((tokens.issuer, tokens.resource), None)


class MemoryStore:
    """Stores tokens and clients in memory."""

    def __init__(self) -> None:
        self._contents = Contents()

    def tokens(self, server: str) -> Tokens | None:
        return self._contents.latest(server)

    def keep_tokens(self, tokens: Tokens) -> None:
        self._contents.keep(tokens)

    def drop_tokens(self, tokens: Tokens) -> None:
        self._contents.drop(tokens)

    def client(self, issuer: str) -> OAuthClient | None:
        return self._contents.clients.get(issuer)

    def keep_client(self, issuer: str, client: OAuthClient) -> None:
        self._contents.clients[issuer] = client

    def drop_client(self, issuer: str) -> None:
        self._contents.clients.pop(issuer, None)


class FileStore:
    """Stores tokens and clients in a file.

    Args:
        path: the file; `oauth/tokens.json` in the data folder when not given.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._given = path

    def tokens(self, server: str) -> Tokens | None:
        return self._read().latest(server)

    def keep_tokens(self, tokens: Tokens) -> None:
        with self._update() as contents:
            contents.keep(tokens)

    def drop_tokens(self, tokens: Tokens) -> None:
        with self._update() as contents:
            contents.drop(tokens)

    def client(self, issuer: str) -> OAuthClient | None:
        return self._read().clients.get(issuer)

    def keep_client(self, issuer: str, client: OAuthClient) -> None:
        with self._update() as contents:
            contents.clients[issuer] = client

    def drop_client(self, issuer: str) -> None:
        with self._update() as contents:
            contents.clients.pop(issuer, None)

    def _path(self) -> Path:
        return self._given or paths.data_folder() / "oauth" / "tokens.json"

    def _read(self) -> Contents:
        try:
            with self._path().open("rb") as file:
                document = json.loads(file.read(LONGEST_FILE))
        except (OSError, ValueError, RecursionError, ConfigurationError):
            return Contents()
        return _from_json(document)

    @contextlib.contextmanager
    def _update(self) -> Iterator[Contents]:
        path = self._path()
        try:
            with private_files.locked(path.parent):
                contents = self._read()
                yield contents
                private_files.replace(path, json.dumps(_to_json(contents), indent=1).encode())
        except OSError as error:
            raise ConfigurationError(
                f"Tokens cannot be stored in {path} ({error.strerror}); "
                f"{private_files.advice(error, 'set WORKBENCH_HOME to a folder of yours')}."
            ) from error


def _to_json(contents: Contents) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "tokens": [dataclasses.asdict(entry) for entry in contents.tokens.values()],
        "clients": {issuer: dataclasses.asdict(entry) for issuer, entry in contents.clients.items()},
    }


def _from_json(document: Any) -> Contents:
    contents = Contents()
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return contents
    tokens, clients = document.get("tokens"), document.get("clients")
    for fields in tokens if isinstance(tokens, list) else ():
        if (stored := _restored(Tokens, fields)) is not None:
            contents.keep(stored)
    for issuer, fields in clients.items() if isinstance(clients, dict) else ():
        if (client := _restored(OAuthClient, fields)) is not None:
            contents.clients[issuer] = client
    return contents


def _restored(kind: type[Stored], fields: Any) -> Stored | None:
    """Return the stored object, or None if a field does not have the type of its default; lists become tuples."""
    if not isinstance(fields, dict):
        return None
    known = {entry.name: entry.default for entry in dataclasses.fields(kind)}
    values: dict[str, Any] = {}
    for name, default in known.items():
        kind_of_default = type(default) if default is not dataclasses.MISSING else str
        value = fields.get(name, default)
        value = tuple(value) if kind_of_default is tuple and isinstance(value, list) else value
        value = float(value) if kind_of_default is float and isinstance(value, int) else value
        if not isinstance(value, kind_of_default):
            return None
        values[name] = value
    return kind(**values)
