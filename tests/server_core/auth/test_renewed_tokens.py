"""Tokens that end: who renews them, and what happens when a service refuses one."""

import asyncio

import pytest

from server_core.auth.broker.account_grants import Grants
from server_core.auth.broker.broker import Broker
from server_core.records.masking import Masker
from server_core.secrets.vault import MemoryVault
from tests.server_core.auth.person import LOCAL, REPO, MockAccounts, authorized, get
from tests.waiting import within

pytestmark = pytest.mark.promises("tool authorization")


async def test_a_token_that_is_about_to_end_is_renewed_once_for_all_who_wait() -> None:
    async with MockAccounts() as accounts:
        first = await authorized(accounts, lifetime="100")
        accounts.clock.now += 69
        still = await accounts.broker.authorization(REPO, LOCAL)
        assert still is not None
        assert still.token == first
        accounts.clock.now += 2  # Clocks differ: within half a minute of its end it counts as over.
        grants = await asyncio.gather(*(accounts.broker.authorization(REPO, LOCAL) for _ in range(5)))
        assert len({item.token for item in grants if item is not None}) == 1
        assert grants[0] is not None
        assert grants[0].token != first
        assert grants[0].user_info == still.user_info
        assert [event for event, _ in accounts.events] == ["authorized", "authorization_renewed"]


async def test_the_user_is_asked_again_when_the_refresh_token_is_invalid() -> None:
    async with MockAccounts() as accounts:
        await authorized(accounts, lifetime="100")
        accounts.service._refresh_tokens.clear()
        accounts.clock.now += 100
        assert await accounts.broker.authorization(REPO, LOCAL) is None
        assert (await accounts.broker.status(REPO, LOCAL)).state == "needs consent"
        await authorized(accounts)


async def test_a_token_that_another_process_has_renewed_is_used() -> None:
    async with MockAccounts() as accounts:
        await authorized(accounts, lifetime="100")
        before = dict(accounts.vault._contents["auth"])
        accounts.clock.now += 100
        grant = await accounts.broker.authorization(REPO, LOCAL)
        after = dict(accounts.vault._contents["auth"])

        class Late(MemoryVault):
            """Shows what was before, once."""

            reads = 0

            def get(self, namespace: str, key: str) -> str | None:
                self.reads += 1
                return (before if self.reads == 1 else after).get(key)

        broker = Broker(accounts.broker._registrations, Grants(Late(), Masker()), clock=accounts.clock)
        assert await broker.authorization(REPO, LOCAL) == grant


async def test_a_token_that_the_service_refuses_is_renewed_by_the_next_call() -> None:
    async with MockAccounts() as accounts:
        first = await authorized(accounts)
        await accounts.broker.report_refusal(REPO, LOCAL, "another token", 401)
        same = await accounts.broker.authorization(REPO, LOCAL)
        assert same is not None
        assert same.token == first
        await accounts.broker.report_refusal(REPO, LOCAL, first, 401)
        grant = await accounts.broker.authorization(REPO, LOCAL)
        assert grant is not None
        assert grant.token != first
        assert ("authorization_refused", {"account": "github", "status": 401}) in accounts.events


async def test_removed_tokens_are_revoked() -> None:
    async with MockAccounts() as accounts:
        token = await authorized(accounts)
        assert (await get(f"{accounts.service.url}/userinfo", headers={"Authorization": f"Bearer {token}"})).is_success
        assert await accounts.broker.forget(REPO, LOCAL) is True
        assert await accounts.broker.authorization(REPO, LOCAL) is None
        answer = await get(f"{accounts.service.url}/userinfo", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401
        assert await accounts.broker.forget(REPO, LOCAL) is False


async def test_a_refusal_of_a_token_does_not_undo_its_renewal() -> None:
    async with MockAccounts() as accounts:
        token = await authorized(accounts, lifetime="100")
        accounts.clock.now += 100
        renewed, _ = await within(
            asyncio.gather(
                accounts.broker.authorization(REPO, LOCAL),
                accounts.broker.report_refusal(REPO, LOCAL, token, 401),
            )
        )
        assert renewed is not None
        assert await accounts.broker.authorization(REPO, LOCAL) == renewed


async def test_all_renewed_tokens_are_masked() -> None:
    async with MockAccounts() as accounts:
        tokens = [await authorized(accounts, lifetime="100")]
        for _ in range(3):
            accounts.clock.now += 100
            grant = await accounts.broker.authorization(REPO, LOCAL)
            assert grant is not None
            tokens.append(grant.token)
        assert len(set(tokens)) == 4
        assert [accounts.masker.mask_text(token) for token in tokens] == ["<secret github token>"] * 4
