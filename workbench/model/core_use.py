"""Who else uses a core: shown before it is stopped."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.model.describe import plural

TERMINAL = "workbench"  # The core's name for the peer of a terminal's session.

# Who started a core, by its purpose.
_STARTED_BY = {
    "stdio": "A client over stdio started it, and loses its server when the core stops.",
    "http": "`workbench serve --http` started it, for clients over HTTP.",
    "link": "",
    "in-process": "",
}


@dataclass(frozen=True, slots=True)
class CoreUse:
    """The users of a core."""

    purpose: str  # "link" for terminals, "stdio" or "http" for clients
    started: float  # seconds since the epoch
    clients: tuple[str, ...] = ()  # names and transports of open sessions, without those of terminals
    terminals: int = 0  # other terminals
    http: str = ""  # the URL of its HTTP server

    @classmethod
    def of(cls, info: Mapping[str, Any], sessions: Iterable[Mapping[str, Any]]) -> "CoreUse":
        """Return the users of a core, from the response to `core/info` (it counts this terminal) and its sessions."""
        return cls(
            purpose=str(info.get("purpose") or "link"),
            started=float(info.get("started") or 0),
            clients=tuple(
                _client(session)
                for session in sessions
                if session.get("closed") is None and session.get("peer") != TERMINAL
            ),
            terminals=max(0, int(info.get("terminals") or 0) - 1),
            http=str(info.get("http_url") or ""),
        )

    @property
    def is_shared(self) -> bool:
        """Whether another user has started the core, or uses it now."""
        return bool(_STARTED_BY.get(self.purpose) or self.clients or self.terminals)

    def describe(self) -> str:
        """Return who started the core and who uses it, one sentence a line; empty if no other user does."""
        return "\n".join(line for line in (self._origin(), self._users()) if line)

    def _origin(self) -> str:
        started_by = _STARTED_BY.get(self.purpose, "")
        return (
            f"{started_by} It has run since {time.strftime('%H:%M', time.localtime(self.started))}."
            if started_by
            else ""
        )

    def _users(self) -> str:
        others = [*self.clients]
        if self.terminals:
            others.append(plural(self.terminals, "other terminal"))
        return f"Stopping it also disconnects: {', '.join(others)}." if others else ""


def _client(session: Mapping[str, Any]) -> str:
    client = session.get("client") or {}
    name = f"{client.get('name') or 'a client'} {client.get('version') or ''}".strip()
    return f"{name} ({session.get('transport')})"
