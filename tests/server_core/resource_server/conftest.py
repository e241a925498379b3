"""An authority for the tests of a module, and a client of a protected server."""

from collections.abc import AsyncIterator

import pytest

from tests.server_core.resource_server.authority import Authority
from tests.server_core.resource_server.protected_server import ProtectedServer, TokenClient, auth_of, serve


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
async def user(authority: Authority) -> AsyncIterator[TokenClient]:
    async with serve(ProtectedServer(auth_of(authority))) as user:
        yield user
