"""A client with a session, and a client without one whose server asks."""

import pytest

from tests.server_core.serving import session_client, stateless_client


@pytest.fixture
async def client() -> session_client.Client:
    return session_client.Client().ready()


@pytest.fixture
def asking() -> stateless_client.Client:
    stateless_client.RUNS.clear()
    return stateless_client.Client(stateless_client.asking_server())
