"""Answer `initialize` or `server/discover` on stdio before the event loop is imported, which takes longer.

Only a message that is available when the process starts is read: the first message of a client that starts its server
and writes at once. The session, which is created later, gets the same bytes, builds the same response, and does not
send it again. No code of the author has run yet, so the wire is still on descriptors 0 and 1.
"""

import os
import select
from pathlib import Path
from typing import NamedTuple

from server_core.errors import ConfigurationError, ProtocolError
from server_core.loading.discovery import discover
from server_core.protocol import jsonrpc
from server_core.protocol.envelope import is_stateless, read_envelope
from server_core.serving import handshake
from server_core.serving.handshake import cache_hints
from server_core.settings import Settings
from server_core.settings.identity import identity_with

READ_SIZE = 64 * 1024
# Seconds; a slower client only loses the head start.
PATIENCE = 0.02


class EarlyHandshake(NamedTuple):
    """The bytes that were exchanged before there was a session.

    Attributes:
        read: the bytes that the client sent.
        answer: the message that was sent; empty when there was none.
    """

    read: bytes = b""
    answer: bytes = b""


def answer_early(path: Path, stdin_fd: int = 0, stdout_fd: int = 1) -> EarlyHandshake:
    """Answer the client's first message, if it is available already and is `initialize` or `server/discover`.

    Args:
        path: the folder or file of tools.
        stdin_fd: the descriptor to read the client's messages from.
        stdout_fd: the descriptor to write messages for the client to.
    """
    data = b""
    try:
        if select.select([stdin_fd], [], [], PATIENCE)[0]:
            data = os.read(stdin_fd, READ_SIZE)
            answer = _answer(data, path)
            if answer:
                _write(stdout_fd, answer + b"\n")
                return EarlyHandshake(data, answer)
    except (OSError, ConfigurationError, ProtocolError):
        # The session will run into the same error, and reports it.
        pass
    return EarlyHandshake(data)


def _answer(data: bytes, path: Path) -> bytes:
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
