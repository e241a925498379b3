"""The port that is proposed for HTTP: the usual one, or the next that is free."""

import socket

FIRST_PORT = 8000
_TRIES = 20


def proposed_port() -> int:
    """Return a port of this machine that is free now; 0 if there is none near the usual one."""
    return next((port for port in range(FIRST_PORT, FIRST_PORT + _TRIES) if _is_free(port)), 0)


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
