"""Answer `initialize` or `server/discover` on stdio before the event loop is imported, which takes longer.

Only what lies ready when the process starts is looked at: the first message of a client that starts its server and
speaks at once. The session, which is made later, gets the same bytes, comes to the same answer, and finds it sent.
Nothing of the author's has run yet, so the wire is still where it was: on descriptors 0 and 1.
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
from server_core.serving.cache_hints import cache_hints
from server_core.settings import Settings
from server_core.settings.identity import identity_with

READ_SIZE = 64 * 1024
# Seconds; a client that is slower than this loses nothing but the head start.
PATIENCE = 0.02


class EarlyHandshake(NamedTuple):
    """What has passed the wire before there was a session.

    Attributes:
        read: the bytes that the client sent.
        answer: the message that went out; empty when none did.
    """

    read: bytes = b""
    answer: bytes = b""


def answer_early(path: Path, stdin_fd: int = 0, stdout_fd: int = 1) -> EarlyHandshake:
    """Answer the client's first message, if it is there already and asks who we are.

    Args:
        path: the folder or file of tools.
        stdin_fd: where the client's messages come from.
        stdout_fd: where the messages for the client go.
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
        # Whatever is wrong here is wrong for the session as well, and told there.
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
        # Who the server is takes longer to find out than there is time here.
        return b""
    identity = identity_with(settings, discover(path).identity)
    if identity.has_middleware:
        # What it adds to the answer is only known once the author's code is loaded.
        return b""
    if not is_discovery:
        return jsonrpc.response(message.id, handshake.shake_hands(identity, message.params).result)
    revision = read_envelope(message.params).revision
    hints = cache_hints(settings.list_ttl_seconds)
    return jsonrpc.response(message.id, handshake.discover(identity, revision, hints))


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
