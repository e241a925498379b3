"""The port that is proposed for HTTP."""

import socket

import pytest

from workbench.workspace import http_ports


def test_a_port_in_use_is_not_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(http_ports, "FIRST_PORT", port)
        assert http_ports.proposed_port() != port
        monkeypatch.setattr(http_ports, "_TRIES", 1)
        assert http_ports.proposed_port() == 0
