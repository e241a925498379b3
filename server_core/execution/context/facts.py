"""Read-only information about a call: its secrets, metadata, user, session and server."""

import getpass
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from server_core.types import ClientCapabilities, Implementation

if TYPE_CHECKING:
    from server_core.execution.context.client_port import CallingClient

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret of a call."""

    key: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Fact:
    """One metadata entry about the caller, as the client sent it; the value as text."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class ServerView:
    """The identity of the server of a call."""

    name: str
    version: str
    title: str | None
    instructions: str | None


@dataclass(frozen=True, slots=True)
class SessionView:
    """The session of a call."""

    session_id: str | None  # None for a request without a session.
    protocol_version: str
    client_info: Implementation  # For display, never for decisions.
    client_capabilities: ClientCapabilities

    @property
    def _client_capabilities(self) -> ClientCapabilities:
        """The same as :attr:`client_capabilities`, for servers written for Arcade's framework."""
        return self.client_capabilities


def session_view(client: "CallingClient") -> SessionView:
    """Return the session of a client, as authors see it."""
    info, capabilities = Implementation(client.info), ClientCapabilities(client.capabilities)
    return SessionView(client.session_id, client.revision.date, info, capabilities)


def metadata_entries(meta: Mapping[str, Any]) -> list[Fact]:
    """Return the metadata in the `_meta` of a request, without names with a prefix, which belong to protocols."""
    return [
        Fact(name, str(value))
        for name, value in meta.items()
        if isinstance(value, str | int | float) and "/" not in name and name != "progressToken"
    ]


def user_of(client: "CallingClient", configured_id: str) -> str | None:
    """Return the id of the user that a call is for.

    That is the authenticated user; else the configured user id, which may be empty; else, for a local client, the
    account name of the user on this machine; else the id of the session, if there is one.
    """
    if client.principal:
        from server_core.resource_server.owner import current_owner

        # The owner of this request's token: the session may have begun with another token.
        owner = current_owner.get()
        return client.principal if owner is None else owner.user_id
    return configured_id or (_account() if client.is_local else "") or client.session_id


def find_value(entries: Iterable[tuple[str, T]], key: str) -> T | None:
    """Return the value of a key; case is ignored if no name matches exactly."""
    entries = list(entries)
    exact = (value for name, value in entries if name == key)
    return next(exact, next((value for name, value in entries if name.lower() == key.lower()), None))


@cache
def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # An account without a name, as in some containers.
        return ""
