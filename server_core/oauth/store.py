"""Stores tokens and registered clients in a vault.

Rule 1: tokens are stored by authorization server and resource, clients by authorization server.
Rule 2: contents that cannot be read count as missing: at worst, the user has to consent again.
"""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from server_core.errors import ConfigurationError
from server_core.oauth.registration import OAuthClient
from server_core.oauth.tokens import Tokens
from server_core.runtime.safe_json import parse_json_or_none
from server_core.secrets.vault import FileVault, MemoryVault

FORMAT = 1
MAX_TOKENS = 200
NAMESPACE = "oauth"
KEY = "tokens"

Stored = TypeVar("Stored", Tokens, OAuthClient)


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


class TokenStore:
    """Stores tokens and clients.

    Args:
        vault: where they are stored; in memory when not given.
    """

    def __init__(self, vault: FileVault | MemoryVault | None = None) -> None:
        self._vault = vault or MemoryVault()

    def tokens(self, server: str) -> Tokens | None:
        """Return the tokens that were stored last for a server."""
        return self._read().latest(server)

    def keep_tokens(self, tokens: Tokens) -> None:
        """Store tokens, in place of those of the same issuer for the same resource."""
        self._update(lambda contents: contents.keep(tokens))

    def drop_tokens(self, tokens: Tokens) -> None:
        """Remove the tokens of the same issuer for the same resource."""
        self._update(lambda contents: contents.drop(tokens))

    def client(self, issuer: str) -> OAuthClient | None:
        """Return the client that was registered with an authorization server."""
        return self._read().clients.get(issuer)

    def keep_client(self, issuer: str, client: OAuthClient) -> None:
        """Store a registered client."""
        self._update(lambda contents: contents.clients.update({issuer: client}))

    def drop_client(self, issuer: str) -> None:
        """Remove the client that was registered with an authorization server."""
        self._update(lambda contents: contents.clients.pop(issuer, None))

    def _read(self) -> Contents:
        try:
            return _from_text(self._vault.get(NAMESPACE, KEY))
        except ConfigurationError:
            return Contents()

    def _update(self, change: Callable[[Contents], object]) -> None:
        def update(values: dict[str, str]) -> None:
            contents = _from_text(values.get(KEY))
            change(contents)
            values[KEY] = json.dumps(_to_json(contents))

        self._vault.update(NAMESPACE, update)


def _from_text(text: str | None) -> Contents:
    return _from_json(parse_json_or_none(text or ""))


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
