"""Which era a server speaks, found out by asking in the newest way first.

Rule 1: only an answer of `server/discover`, or an error that exists in no older revision, shows a stateless server.
Everything else, silence too, leads to `initialize`.
Rule 2: a probe that is given up is forgotten, not cancelled: an older server would not know what is meant.

Source: 2026-07-28, basic/transports/stdio and basic/transports/streamable-http, backward compatibility.
"""

import asyncio
from dataclasses import replace
from typing import Any

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError
from server_core.protocol.codes import HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import HANDSHAKE, LATEST, LATEST_STATELESS
from server_core.transports.http_client.http_requests import HttpRefused
from workbench.client.connection import Connection
from workbench.client.handshake import (
    Greeting,
    NothingInCommon,
    Ourselves,
    discover,
    initialize,
    newest_common,
    versions_in,
)
from workbench.model.traffic.marks import PROBE

PROBE_SECONDS = 10.0
"""How long a server may take to answer the probe: one that is just starting has much to import."""

# 401 and 403 say nothing of the era: the same is answered to whatever comes next.
SAYS_NOTHING = frozenset({401, 403})
_STATELESS_ERRORS = frozenset({HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION})


class ProbeEndedServer(ConnectionFailed):
    """The server went away when it got the probe; started again, it may be fine with `initialize`."""


async def find_out(connection: Connection, ourselves: Ourselves, timeout: float = PROBE_SECONDS) -> Greeting:
    """Begin a session in the newest way that a server understands.

    Args:
        connection: to the server.
        ourselves: who we are.
        timeout: seconds that the server has to answer the probe.

    Raises:
        ConnectionFailed: when the server cannot be reached, or speaks none of our revisions.
        ProbeEndedServer: when it went away because of the probe, as far as can be told.
        RemoteError: when the server answers with an error.
    """
    try:
        found, silence = await _probe(connection, ourselves, timeout)
        return found or replace(await _shake_hands(connection, ourselves), after_silence=silence)
    except ConnectionFailed as error:
        if connection.closed.is_set():
            raise ProbeEndedServer(str(error)) from error
        raise


async def _probe(connection: Connection, ourselves: Ourselves, timeout: float) -> tuple[Greeting | None, bool]:
    """Return what a stateless server says of itself, None when it is none; and whether it did not say anything."""
    try:
        async with asyncio.timeout(timeout):
            return await discover(_Probe(connection), LATEST_STATELESS, ourselves, {PROBE: True}), False
    except TimeoutError:
        return None, True
    except NothingInCommon:
        return None, False
    except RemoteError as error:
        if error.code in _STATELESS_ERRORS and newest_common(versions_in(error), HANDSHAKE) is None:
            raise
        return None, False
    except ProtocolError:
        return None, False  # What it answered cannot be read.
    except HttpRefused as refusal:
        if refusal.status in SAYS_NOTHING:
            raise
        return None, False


async def _shake_hands(connection: Connection, ourselves: Ourselves) -> Greeting:
    try:
        return await initialize(connection, LATEST, ourselves)
    except RemoteError as error:
        if error.code != UNSUPPORTED_VERSION:
            raise
        # It was only slow: the probe has made it stateless meanwhile.
        return await discover(connection, LATEST_STATELESS, ourselves)


class _Probe:
    """A connection on which a request that is given up is forgotten."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.notify = connection.notify

    async def request(self, method: str, params: Params | None = None) -> dict[str, Any]:
        id, answer = self._connection.ask(method, params)
        try:
            return await answer
        except asyncio.CancelledError:
            self._connection.forget(id)
            raise
