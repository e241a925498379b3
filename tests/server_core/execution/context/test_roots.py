"""Roots: the folders that a client lists."""

import pytest

from server_core import Context, ContextError
from tests.server_core.ports import FakePort

pytestmark = pytest.mark.promises("context")


def context_of(port: FakePort) -> Context:
    return Context(port, 1)


async def test_roots_are_listed_by_both_names() -> None:
    port = FakePort({"roots": {}}, {"roots": [{"uri": "file:///a", "name": "a"}, "nonsense"]})
    context = context_of(port)
    assert await context.roots.list() == await context.resources.list_roots() == [{"uri": "file:///a", "name": "a"}]


async def test_a_client_without_roots_is_not_asked() -> None:
    with pytest.raises(ContextError, match="roots capability"):
        await context_of(FakePort()).roots.list()
