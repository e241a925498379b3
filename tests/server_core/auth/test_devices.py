"""The device flow: a token without a redirect, and when the polling ends."""

from dataclasses import replace

import pytest

from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from tests.server_core.auth.person import LOCAL, REPO, MockAccounts, decide, get
from tests.waiting import until, within

pytestmark = pytest.mark.promises("tool authorization")


async def test_the_device_flow_issues_a_token_without_a_redirect() -> None:
    async with MockAccounts() as accounts:
        begun = await accounts.broker.begin_device(REPO, LOCAL)
        assert begun.device_code not in repr(begun)
        pauses: list[float] = []

        async def agree_then(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 2:
                page = await get(f"{begun.url}?user_code={begun.user_code.lower()}")
                (ticket,) = accounts.service.tickets
                assert ticket in page.text
                assert accounts.service.decide(ticket, allow=True) == ""

        grant = await within(accounts.broker.finish_device(REPO, LOCAL, begun, agree_then))
        assert pauses == [1.0, 1.0]
        assert await accounts.broker.authorization(REPO, LOCAL) == grant


async def test_a_user_can_refuse_a_device() -> None:
    async with MockAccounts() as accounts:
        begun = await accounts.broker.begin_device(REPO, LOCAL)

        async def deny(seconds: float) -> None:
            await get(f"{begun.url}?user_code={begun.user_code}")
            accounts.service.decide(next(iter(accounts.service.tickets)), allow=False)

        with pytest.raises(TokenRefused, match="access_denied"):
            await within(accounts.broker.finish_device(REPO, LOCAL, begun, deny))


async def test_polling_for_an_abandoned_device_ends() -> None:
    async with MockAccounts() as accounts:
        begun = await accounts.broker.begin_device(REPO, LOCAL)
        assert begun.timeout == 900
        pauses: list[float] = []

        async def wait(seconds: float) -> None:
            pauses.append(seconds)

        with pytest.raises(AuthorizationFailed, match="was not entered in time"):
            await within(accounts.broker.finish_device(REPO, LOCAL, replace(begun, timeout=3), wait))
        assert pauses == [1.0] * 3


async def test_a_device_is_polled_in_the_background_until_its_user_has_finished() -> None:
    async with MockAccounts() as accounts:
        begun = replace(await accounts.broker.begin_device(REPO, LOCAL), interval=0.01)
        accounts.broker.finish_device_in_background(REPO, LOCAL, begun)
        await decide(f"{begun.url}?user_code={begun.user_code}")
        await until(lambda: accounts.events)
        assert accounts.events == [("authorized", {"account": "github", "scopes": ["repo"]})]


async def test_a_refused_device_is_reported_and_only_the_newest_is_polled() -> None:
    async with MockAccounts() as accounts:
        first = await accounts.broker.begin_device(REPO, LOCAL)
        accounts.broker.finish_device_in_background(REPO, LOCAL, first)
        second = replace(await accounts.broker.begin_device(REPO, LOCAL), interval=0.01)
        accounts.broker.finish_device_in_background(REPO, LOCAL, second)
        await decide(f"{second.url}?user_code={second.user_code}", "deny")
        await until(lambda: accounts.events)
        ((event, facts),) = accounts.events
        assert (event, facts["account"]) == ("authorization_failed", "github")


async def test_polling_for_an_unused_device_ends_when_the_broker_closes() -> None:
    async with MockAccounts() as accounts:
        accounts.broker.finish_device_in_background(REPO, LOCAL, await accounts.broker.begin_device(REPO, LOCAL))
    assert accounts.events == []
