"""Open a session with whatever server a route leads to: in the era that was asked for, or in the one it speaks.

What was found out of a server is kept for as long as this process lives, and found out anew when it no longer holds.

Source: 2026-07-28, basic/versioning, backward compatibility.
"""

from typing import Any

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.codes import METHOD_NOT_FOUND
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from workbench.client.era_probe import PROBE_SECONDS, ProbeEndedServer
from workbench.client.session import HANDSHAKE_SECONDS, ClientSession
from workbench.client.target import Era, Route

REVISIONS_OF = {Era.LEGACY: LATEST, Era.MODERN: LATEST_STATELESS}
"""What is spoken in an era that was asked for."""

_known_revisions: dict[str, Revision] = {}
"""The revision to begin with, by the title of the server."""


async def open_session(
    route: Route, era: Era = Era.AUTO, *, timeout: float = HANDSHAKE_SECONDS, **options: Any
) -> ClientSession:
    """Open a session with a server.

    Args:
        route: the way to it.
        era: `initialize` ("legacy"), no handshake ("modern"), or what the server turns out to speak.
        timeout: seconds that the server has for its first answer.
        options: what :meth:`ClientSession.open` takes besides.

    Raises:
        ConnectionFailed: when the server cannot be reached, goes away, or does not speak what we do.
        RemoteError: when it is a server that refuses us for another reason.
    """
    revision = REVISIONS_OF.get(era) or route.speaks
    if revision is not None:
        try:
            return await ClientSession.open(await route.connect(), revision=revision, timeout=timeout, **options)
        except RemoteError as error:
            raise ConnectionFailed(f"{route.title} does not speak {revision.date}: {error}.{_advice(era)}") from error
    try:
        session = await _open_as_before(route, timeout, options) or await _find_out(route, timeout, options)
    except RemoteError as error:
        if error.code != METHOD_NOT_FOUND:
            raise
        # Also what a program comes to that says again what it hears: we refuse our own request.
        raise ConnectionFailed(f"{route.title} is no MCP server: it has no method initialize") from error
    _known_revisions[route.title] = session.revision if session.revision.stateless else LATEST
    return session


async def _open_as_before(route: Route, timeout: float, options: dict[str, Any]) -> ClientSession | None:
    revision = _known_revisions.pop(route.title, None)
    if revision is None:
        return None
    try:
        return await ClientSession.open(await route.connect(), revision=revision, timeout=timeout, **options)
    except (ConnectionFailed, RemoteError):
        return None  # The server behind the name may be another one now.


async def _find_out(route: Route, timeout: float, options: dict[str, Any]) -> ClientSession:
    # Every request over HTTP gets an answer, but a person may have to say first that we may send any.
    patience = timeout / 2 if route.over_http else min(PROBE_SECONDS, timeout / 2)
    try:
        return await ClientSession.open(
            await route.connect(), revision=None, probe_timeout=patience, timeout=timeout, **options
        )
    except ProbeEndedServer:
        # Some servers end at the first message that they do not expect.
        return await ClientSession.open(await route.connect(), revision=LATEST, timeout=timeout, **options)


def _advice(era: Era) -> str:
    return "" if era is Era.AUTO else f" Ask for another era than {era.value!r}, or leave the choice to the workbench."
