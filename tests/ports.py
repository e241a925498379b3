"""TCP ports of servers under test: one that is free, and waiting for one to be listened on."""

import socket
import subprocess
import sys
import time

START_LIMIT = 30.0


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def await_port(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Return when the server listens.

    Raises:
        SystemExit: when it ends, or does not listen in time.
    """
    deadline = time.monotonic() + START_LIMIT
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit(f"{server.args} ended with {server.returncode} before it listened")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit(f"{server.args} does not listen on port {port}")
