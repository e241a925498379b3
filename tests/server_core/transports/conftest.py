"""A server over HTTP, and a session of it."""

from collections.abc import AsyncIterator

import pytest

from tests.server_core.transports.http_site import Site, serving


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as opened:
        yield opened


@pytest.fixture
async def session(site: Site) -> Site:
    return await site.open()
