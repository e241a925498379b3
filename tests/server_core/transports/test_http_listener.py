"""The socket that HTTP clients connect to."""

import socket

from server_core.transports.http import _listener


def test_a_response_never_waits_for_the_client_to_acknowledge_the_start_of_it() -> None:
    with _listener("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
