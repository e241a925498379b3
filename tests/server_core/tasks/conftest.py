"""A workshop for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.server_core.tasks.clients import Workshop


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    """A server whose tools run as tasks."""
    workshop = Workshop()
    yield workshop
    await workshop.close()
