"""Servers that behave correctly, and an empty token store."""

import pytest

from server_core.oauth.token_store import TokenStore
from tests.server_core.oauth.world import World


@pytest.fixture
def world() -> World:
    """A world in which all servers behave correctly."""
    return World()


@pytest.fixture
def store() -> TokenStore:
    """An empty store."""
    return TokenStore()
