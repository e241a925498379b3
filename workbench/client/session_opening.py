"""Open a session with the server of a route: in the chosen era, or in the one that the server supports.

The detected era of a server is stored while this process runs, and detected again when it is no longer valid.

Source: 2026-07-28, basic/versioning, backward compatibility.
"""

from typing import Any

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.codes import METHOD_NOT_FOUND
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from workbench.client.era_probe import PROBE_SECONDS, ProbeEndedServer
from workbench.client.session import HANDSHAKE_SECONDS, ClientSession
from workbench.client.target import Era, Route

REVISIONS_OF = {Era.LEGACY: LATEST, Era.MODERN: LATEST_STATELESS}  # The revision to request for a chosen era.

_known_revisions: dict[str, Revision] = {}  # The revision to try first, by the title of the server.


async def open_session(
    route: Route,
    era: Era = Era.AUTO,
    *,
    timeout: float = HANDSHAKE_SECONDS,
    preferred: Revision | None = None,
    **options: Any,
) -> ClientSession:
    """Open a session with a server: with `initialize` ("legacy"), without a handshake ("modern") or as detected.

    `preferred` is the revision to request if no era is chosen.

    Options and errors are those of :meth:`ClientSession.open`; RemoteError if the server refuses for another reason.
    """
    revision = REVISIONS_OF.get(era) or preferred or route.known_revision
    if revision is not None:
        try:
            return await ClientSession.open(await route.connect(), revision=revision, timeout=timeout, **options)
        except RemoteError as error:
            raise ConnectionFailed(f"{route.title} does not support {revision.date}: {error}.{_advice(era)}") from error
    try:
        session = await _open_in_known_revision(route, timeout, options) or await _detect_and_open(
            route, timeout, options
        )
    except RemoteError as error:
        if error.code != METHOD_NOT_FOUND:
            raise
        # Also the error for a program that echoes its input: we refuse our own request.
        raise ConnectionFailed(f"{route.title} is not an MCP server: it has no method initialize") from error
    _known_revisions[route.title] = session.revision if session.revision.stateless else LATEST
    return session


async def _open_in_known_revision(route: Route, timeout: float, options: dict[str, Any]) -> ClientSession | None:
    revision = _known_revisions.pop(route.title, None)
    if revision is None:
        return None
    try:
        return await ClientSession.open(await route.connect(), revision=revision, timeout=timeout, **options)
    except (ConnectionFailed, RemoteError):
        return None  # The name may belong to another server by now.


async def _detect_and_open(route: Route, timeout: float, options: dict[str, Any]) -> ClientSession:
    # HTTP requests always get a response, but a user may have to authorize us first.
    probe_timeout = timeout / 2 if route.over_http else min(PROBE_SECONDS, timeout / 2)
    try:
        return await ClientSession.open(
            await route.connect(), revision=None, probe_timeout=probe_timeout, timeout=timeout, **options
        )
    except ProbeEndedServer:
        # Some servers exit on the first message that they do not expect.
        return await ClientSession.open(await route.connect(), revision=LATEST, timeout=timeout, **options)


def _advice(era: Era) -> str:
    return "" if era is Era.AUTO else f" Use another era than {era.value!r}, or auto."
