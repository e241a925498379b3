"""The keys of authorization servers: when they are fetched, and what happens while they cannot be."""

import asyncio
from typing import Any

import httpx
import pytest

from server_core.resource_server import KeysUnavailable
from server_core.resource_server.jwks import FETCH_INTERVAL_SECONDS, Keys
from server_core.runtime.background import spawn
from tests.clock import Clock
from tests.server_core.resource_server.authority import Authority, document, validator_of
from tests.waiting import within

pytestmark = pytest.mark.promises("resource server")


async def test_keys_are_fetched_once_for_many_tokens() -> None:
    authority = Authority()
    validator = validator_of(authority)
    for _ in range(3):
        await validator.validate_token(authority.token())
    assert authority.fetches == 1


async def test_an_unknown_key_is_fetched_at_once_but_not_each_time() -> None:
    authority, clock = Authority(), Clock()
    keys = Keys(authority.jwks_uri, 3600, authority.transport, clock)
    assert await keys.find("first")
    authority.rotate("second")
    assert await keys.find("second") is None, "the last fetch was a moment ago"
    clock.now += FETCH_INTERVAL_SECONDS
    assert await keys.find("second")
    assert authority.fetches == 2
    for number in range(100):
        assert await keys.find(f"made up {number}") is None
    assert authority.fetches == 2


async def test_keys_are_fetched_again_when_they_are_old_and_an_old_key_is_no_longer_valid() -> None:
    authority, clock = Authority(), Clock()
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    assert await keys.find("first")
    authority.rotate("second")
    clock.now += 61
    assert await keys.find("first") is None
    assert authority.fetches == 2


async def test_keys_that_cannot_be_fetched_again_are_used_for_twice_their_time() -> None:
    authority, clock = Authority(), Clock()
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    assert await keys.find("first")
    authority.is_down = True
    clock.now += 61
    assert await keys.find("first")
    clock.now += 60
    with pytest.raises(KeysUnavailable, match="cannot be fetched"):
        await keys.find("first")
    authority.is_down = False
    clock.now += FETCH_INTERVAL_SECONDS
    assert await keys.find("first")


class Slow(Authority):
    """Its keys come when the test releases them."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.respond = asyncio.Event()

    @property
    def transport(self) -> httpx.MockTransport:
        async def answer(request: httpx.Request) -> httpx.Response:
            self.asked.set()
            await self.respond.wait()
            return self.answer(request)

        return httpx.MockTransport(answer)


async def test_callers_that_wait_for_a_fetch_share_its_late_failure() -> None:
    authority, clock = Slow(), Clock()
    authority.is_down = True
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    waiting = [spawn(keys.find(f"made up {number}"), "find") for number in range(5)]
    await within(authority.asked.wait())
    clock.now += 3 * FETCH_INTERVAL_SECONDS
    authority.respond.set()
    result = await within(asyncio.gather(*waiting, return_exceptions=True))
    assert [type(error) for error in result] == [KeysUnavailable] * 5
    assert authority.fetches == 1


async def test_a_client_that_disconnects_cancels_no_key_request_of_others() -> None:
    authority, clock = Slow(), Clock()
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    impatient, other = spawn(keys.find("made up"), "find"), spawn(keys.find("first"), "find")
    await within(authority.asked.wait())
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(impatient)
    authority.respond.set()
    assert await within(other)
    assert authority.fetches == 1


async def test_known_keys_are_used_while_a_fetch_hangs() -> None:
    authority, clock = Slow(), Clock()
    authority.respond.set()
    keys = Keys(authority.jwks_uri, 60, authority.transport, clock)
    assert await within(keys.find("first"))
    authority.is_down = True
    clock.now += 61
    assert await within(keys.find("first")), "the first caller notices that they cannot be fetched"
    authority.respond.clear()
    authority.asked.clear()
    clock.now += FETCH_INTERVAL_SECONDS
    assert await within(keys.find("first"))
    await within(authority.asked.wait())
    assert await within(keys.find("first"))
    authority.is_down = False
    authority.rotate("second")
    authority.respond.set()
    assert await within(keys.find("second")), "a key that is not known is waited for"


@pytest.mark.parametrize("published", [[], {"keys": {}}, {"no": "keys"}, "text"], ids=str)
async def test_an_invalid_key_set_counts_as_missing(published: Any) -> None:
    transport = httpx.MockTransport(lambda request: document(published))
    with pytest.raises(KeysUnavailable):
        await Keys("https://as.example.com/jwks", 60, transport).find("first")
