"""Stores tokens and registered clients in a vault.

Rule 1: tokens are stored by authorization server and resource, clients by authorization server.
Rule 2: contents that cannot be read count as missing: at worst, the user has to consent again.
"""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from server_core.errors import ConfigurationError
from server_core.oauth.registration import OAuthClient
from server_core.oauth.tokens import Tokens
from server_core.runtime.safe_json import parse_json_or_none
from server_core.secrets.vault import FileVault, MemoryVault

FORMAT = 1
MAX_TOKENS = 200
NAMESPACE = "oauth"
KEY = "tokens"

T = TypeVar("T")


@dataclass
class Contents:
    """The contents of a store."""

    tokens: dict[tuple[str, str], Tokens] = field(default_factory=dict)  # By issuer and resource, the latest last.
    clients: dict[str, OAuthClient] = field(default_factory=dict)  # By issuer.

    def latest_tokens(self, server: str) -> Tokens | None:
        return next((entry for entry in reversed(self.tokens.values()) if entry.server == server), None)

    def store_tokens(self, tokens: Tokens) -> None:
        """Store tokens as the latest, and remove the oldest when there are too many."""
        self.remove_tokens(tokens)
        self.tokens[tokens.issuer, tokens.resource] = tokens
        while len(self.tokens) > MAX_TOKENS:
            del self.tokens[next(iter(self.tokens))]

    def remove_tokens(self, tokens: Tokens) -> None:
        self.tokens.pop((tokens.issuer, tokens.resource), None)


class TokenStore:
    """Stores tokens and clients in a vault; in memory when none is given."""

    def __init__(self, vault: FileVault | MemoryVault | None = None) -> None:
        self._vault = vault or MemoryVault()

    def tokens(self, server: str) -> Tokens | None:
        """Return the tokens that were stored last for a server."""
        return self._read().latest_tokens(server)

    def store_tokens(self, tokens: Tokens) -> None:
        """Store tokens, in place of those of the same issuer for the same resource."""
        self._update(lambda contents: contents.store_tokens(tokens))

    def remove_tokens(self, tokens: Tokens) -> None:
        self._update(lambda contents: contents.remove_tokens(tokens))

    def client(self, issuer: str) -> OAuthClient | None:
        """Return the client that was registered with an authorization server."""
        return self._read().clients.get(issuer)

    def store_client(self, issuer: str, client: OAuthClient) -> None:
        self._update(lambda contents: contents.clients.update({issuer: client}))

    def remove_client(self, issuer: str) -> None:
        self._update(lambda contents: contents.clients.pop(issuer, None))

    def _read(self) -> Contents:
        try:
            return _from_text(self._vault.get(NAMESPACE, KEY))
        except ConfigurationError:
            return Contents()  # Rule 2. A write fails with an explanation instead.

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
        if (stored := restore(Tokens, fields)) is not None:
            contents.store_tokens(stored)
    for issuer, fields in clients.items() if isinstance(clients, dict) else ():
        if (client := restore(OAuthClient, fields)) is not None:
            contents.clients[issuer] = client
    return contents


def restore(kind: type[T], members: Any) -> T | None:
    """Return an object of a dataclass from its stored JSON; None if a member does not have the type of its default.

    A member may be missing, unless its field has no default; such fields are strings.
    """
    if not isinstance(members, dict):
        return None
    values: dict[str, Any] = {}
    for entry in dataclasses.fields(cast(Any, kind)):
        default = entry.default if entry.default_factory is dataclasses.MISSING else entry.default_factory()
        expected = str if default is dataclasses.MISSING else type(default)
        value = members.get(entry.name, default)
        # JSON has no tuples, and writes 1.0 as 1 in other languages.
        if expected is tuple and isinstance(value, list):
            value = tuple(value)
        elif expected is float and isinstance(value, int):
            value = float(value)
        if not isinstance(value, expected):
            return None
        values[entry.name] = value
    return kind(**values)
