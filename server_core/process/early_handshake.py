"""Answer `initialize` or `server/discover` on stdio before the event loop is imported, which takes longer.

Only a message that is available when the process starts is read: the first message of a client that starts its server
and writes at once. The session, which is created later, gets the same bytes, builds the same response, and does not
send it again. No code of the author has run yet, so the wire is still on descriptors 0 and 1.
"""

import os
import select
from pathlib import Path
from typing import NamedTuple

from server_core.catalog.identity import identity_with
from server_core.errors import ConfigurationError, ProtocolError
from server_core.loading.file_discovery import discover
from server_core.protocol import jsonrpc
from server_core.protocol.envelope import is_stateless, read_envelope
from server_core.serving import handshake
from server_core.serving.handshake import cache_hints
from server_core.settings import Settings

READ_SIZE = 64 * 1024
# Seconds to wait for the first message; a client that sends it later gets the response from the session.
FIRST_MESSAGE_TIMEOUT = 0.02


class EarlyHandshake(NamedTuple):
    """The bytes that were exchanged before there was a session."""

    # What the client sent; more than its first message, if it did not wait for the response.
    received: bytes = b""
    # The message that was sent, without a newline; empty when there was none.
    response: bytes = b""


def answer_early(path: Path, stdin_fd: int = 0, stdout_fd: int = 1) -> EarlyHandshake:
    """Answer a first `initialize` or `server/discover` that is available, without an import of the author's code."""
    data = b""
    try:
        if select.select([stdin_fd], [], [], FIRST_MESSAGE_TIMEOUT)[0]:
            data = os.read(stdin_fd, READ_SIZE)
            response = _response_to(data, path)
            if response:
                _write(stdout_fd, response + b"\n")
                return EarlyHandshake(data, response)
    except (OSError, ConfigurationError, ProtocolError):
        # The session will run into the same error, and reports it.
        pass
    return EarlyHandshake(data)


def _response_to(data: bytes, path: Path) -> bytes:
    line, newline, _ = data.partition(b"\n")
    message = jsonrpc.parse(line)
    if not newline or not isinstance(message, jsonrpc.Request):
        return b""
    is_discovery = message.method == "server/discover" and is_stateless(message.params)
    if message.method != "initialize" and not is_discovery:
        return b""
    settings = Settings.of_project(path)
    if settings.tool_package or settings.discover_installed:
        # Finding the server's identity would take too long here.
        return b""
    identity = identity_with(settings, discover(path).identity)
    if identity.has_middleware:
        # What the middleware adds to the response is only known once the author's code is loaded.
        return b""
    if not is_discovery:
        return jsonrpc.response(message.id, handshake.shake_hands(identity, message.params).result)
    revision = read_envelope(message.params).revision
    hints = cache_hints(settings.list_ttl_seconds)
    return jsonrpc.response(message.id, handshake.discover(identity, revision, hints))


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
