"""Detect the era of a server, by trying the newest way first.

Rule 1: only a response to `server/discover`, or an error that exists in no older revision, identifies a stateless
server. Everything else, including no response, leads to `initialize`.
Rule 2: a probe that times out is not cancelled on the wire: an older server would not understand the cancellation.

Source: 2026-07-28, basic/transports/stdio and basic/transports/streamable-http, backward compatibility.
"""

import asyncio
from dataclasses import replace
from typing import Any

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError
from server_core.protocol.codes import HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import HANDSHAKE_REVISIONS, LATEST, LATEST_STATELESS
from server_core.transports.http_client.http_requests import HttpRefused
from workbench.client.connection import PeerConnection
from workbench.client.session_handshake import (
    ClientDescription,
    HandshakeResult,
    NoCommonRevision,
    discover,
    initialize,
    newest_common,
    supported_versions,
)
from workbench.model.traffic.vocabulary import PROBE

PROBE_SECONDS = 10.0  # For the answer to the probe: a server that is starting may have to import a lot.

# 401 and 403 do not identify the era: the next request would get the same response.
INCONCLUSIVE = frozenset({401, 403})
_STATELESS_ERRORS = frozenset({HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION})


class ProbeEndedServer(ConnectionFailed):
    """The server ended when it received the probe; after a restart, `initialize` may work."""


async def detect_era(
    connection: PeerConnection, client: ClientDescription, timeout: float = PROBE_SECONDS
) -> HandshakeResult:
    """Start a session in the newest way; ProbeEndedServer if the server ended, probably because of the probe."""
    try:
        handshake, silence = await _probe(connection, client, timeout)
        return handshake or replace(await _initialize(connection, client), probe_timed_out=silence)
    except ConnectionFailed as error:
        # A connection that is still open was refused for another reason, which a restart would not change.
        if connection.closed.is_set():
            raise ProbeEndedServer(str(error)) from error
        raise


async def _probe(
    connection: PeerConnection, client: ClientDescription, timeout: float
) -> tuple[HandshakeResult | None, bool]:
    """Return the handshake of a stateless server, None for other servers; and whether the probe timed out."""
    try:
        async with asyncio.timeout(timeout):
            return await discover(_Probe(connection), LATEST_STATELESS, client, {PROBE: True}), False
    except TimeoutError:
        return None, True
    except NoCommonRevision:
        return None, False  # It may still have a revision with a handshake in common with us.
    except RemoteError as error:
        if error.code in _STATELESS_ERRORS and newest_common(supported_versions(error), HANDSHAKE_REVISIONS) is None:
            raise
        return None, False
    except ProtocolError:
        return None, False  # The response cannot be read.
    except HttpRefused as refusal:
        if refusal.status in INCONCLUSIVE:
            raise
        return None, False


async def _initialize(connection: PeerConnection, client: ClientDescription) -> HandshakeResult:
    try:
        return await initialize(connection, LATEST, client)
    except RemoteError as error:
        if error.code != UNSUPPORTED_VERSION:
            raise
        # It was only slow: it has selected the stateless era because of the probe meanwhile.
        return await discover(connection, LATEST_STATELESS, client)


class _Probe:
    """A connection on which a timed-out request is dropped without a cancellation."""

    def __init__(self, connection: PeerConnection) -> None:
        self._connection = connection
        self.notify = connection.notify

    async def request(self, method: str, params: Params | None = None) -> dict[str, Any]:
        request_id, answer = self._connection.start_request(method, params)
        try:
            return await answer
        except asyncio.CancelledError:
            self._connection.forget(request_id)
            raise
