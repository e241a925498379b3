"""A client with a session."""

import pytest

from tests.server_core.serving.session_client import Client


@pytest.fixture
async def client() -> Client:
    return Client().ready()
