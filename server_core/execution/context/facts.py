"""What a call is told besides its arguments: its secrets, who it is for, its session and its server.

Rule: everything here is to be read; nothing that is changed in it changes what it tells of.
"""

import getpass
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from server_core.types import ClientCapabilities, Implementation

if TYPE_CHECKING:
    from server_core.execution.context.client_port import ClientPort

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret of a call.

    Attributes:
        key: its name.
        value: its value; never shown by accident.
    """

    key: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact about the caller, as the client tells it.

    Attributes:
        key: its name.
        value: what is told.
    """

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class ServerView:
    """The server of a call.

    Attributes:
        name: its name.
        version: its version.
        title: its name for people.
        instructions: what it tells models.
    """

    name: str
    version: str
    title: str | None
    instructions: str | None


@dataclass(frozen=True, slots=True)
class SessionView:
    """The session of a call.

    Attributes:
        session_id: names the session and no other; None for a request without one.
        protocol_version: the revision that is spoken.
        client_info: how the client names itself; for people, never for decisions.
        client_capabilities: what the client declared that it can do.
    """

    session_id: str | None
    protocol_version: str
    client_info: Implementation
    client_capabilities: ClientCapabilities

    @property
    def _client_capabilities(self) -> ClientCapabilities:
        """The same as :attr:`client_capabilities`: what servers written for Arcade's framework read of it."""
        return self.client_capabilities


def session_view(port: "ClientPort") -> SessionView:
    """Return what an author may know of the session."""
    return SessionView(
        port.session_id, port.revision.date, Implementation(port.client_info), ClientCapabilities(port.capabilities)
    )


def facts_of(meta: Mapping[str, Any]) -> list[Fact]:
    """Return the facts that a request tells in its `_meta`.

    Args:
        meta: the `_meta`; names with a prefix belong to protocols, and are none.
    """
    return [
        Fact(name, str(value))
        for name, value in meta.items()
        if isinstance(value, str | int | float) and "/" not in name and name != "progressToken"
    ]


def user_of(port: "ClientPort", named: str) -> str | None:
    """Return whom a call is for.

    Args:
        port: the client.
        named: the user that the settings name; empty for none.

    Returns:
        Who has proved to call; else whom the settings name; else, where the client was started on this machine by the
        person who started the server, the name of their account; else the id of the session, where there is one.
    """
    if port.principal:
        from server_core.resource_server.owner import current

        owner = current.get()
        return port.principal if owner is None else owner.user_id
    return named or (_account() if port.is_local else "") or port.session_id


def find_value(entries: Iterable[tuple[str, T]], key: str) -> T | None:
    """Return the value of a key; upper and lower case are the same where no name fits exactly."""
    entries = list(entries)
    exact = (value for name, value in entries if name == key)
    return next(exact, next((value for name, value in entries if name.lower() == key.lower()), None))


@cache
def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # An account without a name, as in some containers.
        return ""
