"""From what a tool requires to a token: consent, refresh, more scopes, refusal, and the end of it."""

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest

from server_core.auth import GitHub, Google, OAuth2
from server_core.auth.broker.broker import Broker, NoClient
from server_core.auth.broker.grants import Grants, Owner
from server_core.auth.broker.registrations import Registration
from server_core.auth.providers import PROVIDERS
from server_core.errors import ConfigurationError
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.records.masking import Masker
from server_core.runtime.background import spawn
from server_core.secrets.vault import MemoryVault
from tests.server_core.auth.person import LOCAL, Workspace, agree, decided, get
from tests.waiting import until, within

pytestmark = pytest.mark.promises("tool authorization")
REPO = GitHub(scopes=["repo"])


async def authorized(workspace: Workspace, requirement: Any = REPO, owner: Owner = LOCAL, **fields: Any) -> str:
    """Have the person agree, and return the token."""
    consent = await workspace.broker.consent(requirement, owner)
    await agree(consent.url, **fields)
    await within(consent.wait(5))
    grant = await workspace.broker.authorization(requirement, owner)
    assert grant is not None
    return grant.token


async def test_a_person_agrees_once_and_the_token_is_there_from_then_on() -> None:
    async with Workspace() as workspace:
        assert await workspace.broker.authorization(REPO, LOCAL) is None
        consent = await workspace.broker.consent(REPO, LOCAL)
        assert consent.scopes == ("repo",)
        page = await agree(consent.url, person="ada")
        assert "can now use your account with GitHub (mock)" in page
        await within(consent.wait(5))
        grant = await workspace.broker.authorization(REPO, LOCAL)
        assert grant is not None
        assert grant.token.startswith("mock-")
        assert grant.user_info["email"] == "ada"
        assert workspace.events == [("authorized", {"account": "github", "scopes": ["repo"]})]


async def test_nothing_that_is_secret_shows() -> None:
    async with Workspace() as workspace:
        consent = await workspace.broker.consent(REPO, LOCAL)
        await agree(consent.url)
        await within(consent.wait(5))
        grant = await workspace.broker.authorization(REPO, LOCAL)
        assert grant is not None
        (kept,) = workspace.vault._contents["auth"].values()
        refresh = kept.partition('"refresh_token": "')[2].partition('"')[0]
        assert refresh.startswith("mock-refresh-")
        for shown in (repr(grant), repr(consent), repr(workspace.events), repr(workspace.broker)):
            assert grant.token not in shown
            assert refresh not in shown
            assert consent.verifier not in shown
        assert grant.token not in workspace.masker.mask_text(f"Bearer {grant.token} {refresh}")
        assert refresh not in workspace.masker.mask_text(refresh)


async def test_who_is_asked_already_is_asked_nothing_new() -> None:
    async with Workspace() as workspace:
        first, second = await asyncio.gather(
            workspace.broker.consent(REPO, LOCAL), workspace.broker.consent(REPO, LOCAL)
        )
        assert first is second
        other = await workspace.broker.consent(REPO, Owner("somebody else"))
        assert other is not first


async def test_users_do_not_share_what_they_were_given() -> None:
    async with Workspace() as workspace:
        mine = await authorized(workspace, owner=Owner("me"))
        assert await workspace.broker.authorization(REPO, Owner("me", is_authenticated=True)) is None
        assert await authorized(workspace, owner=Owner("me", is_authenticated=True)) != mine


async def test_registrations_of_one_service_do_not_share_either() -> None:
    async with Workspace() as workspace:
        await authorized(workspace)
        assert await workspace.broker.authorization(GitHub(id="work", scopes=["repo"]), LOCAL) is None
        assert await workspace.broker.authorization(OAuth2(id="crm"), LOCAL) is None


async def test_more_scopes_are_asked_for_together_with_those_before() -> None:
    async with Workspace() as workspace:
        await authorized(workspace)
        more = GitHub(scopes=["gist"])
        assert await workspace.broker.authorization(more, LOCAL) is None
        consent = await workspace.broker.consent(more, LOCAL)
        assert consent.scopes == ("repo", "gist")
        await agree(consent.url)
        await within(consent.wait(5))
        assert await workspace.broker.authorization(more, LOCAL) is not None
        assert await workspace.broker.authorization(REPO, LOCAL) is not None


async def test_a_token_that_is_about_to_end_is_renewed_once_for_all_who_wait() -> None:
    async with Workspace() as workspace:
        first = await authorized(workspace, lifetime="100")
        workspace.clock.now += 69
        still = await workspace.broker.authorization(REPO, LOCAL)
        assert still is not None
        assert still.token == first
        workspace.clock.now += 2  # Clocks differ: within half a minute of its end it counts as over.
        grants = await asyncio.gather(*(workspace.broker.authorization(REPO, LOCAL) for _ in range(5)))
        assert len({item.token for item in grants if item is not None}) == 1
        assert grants[0] is not None
        assert grants[0].token != first
        assert grants[0].user_info == still.user_info
        assert [event for event, _ in workspace.events] == ["authorized", "authorization_renewed"]


async def test_a_refresh_token_that_is_no_longer_good_has_the_person_asked_again() -> None:
    async with Workspace() as workspace:
        await authorized(workspace, lifetime="100")
        workspace.service._refresh_tokens.clear()
        workspace.clock.now += 100
        assert await workspace.broker.authorization(REPO, LOCAL) is None
        assert (await workspace.broker.status(REPO, LOCAL)).state == "needs consent"
        await authorized(workspace)


async def test_what_another_process_has_renewed_meanwhile_is_used() -> None:
    async with Workspace() as workspace:
        await authorized(workspace, lifetime="100")
        before = dict(workspace.vault._contents["auth"])
        workspace.clock.now += 100
        grant = await workspace.broker.authorization(REPO, LOCAL)
        after = dict(workspace.vault._contents["auth"])

        class Late(MemoryVault):
            """Shows what was before, once."""

            reads = 0

            def get(self, namespace: str, key: str) -> str | None:
                self.reads += 1
                return (before if self.reads == 1 else after).get(key)

        broker = Broker(workspace.broker._registrations, Grants(Late(), Masker()), clock=workspace.clock)
        assert await broker.authorization(REPO, LOCAL) == grant


async def test_a_token_that_the_service_refuses_is_renewed_by_the_next_call() -> None:
    async with Workspace() as workspace:
        first = await authorized(workspace)
        await workspace.broker.report_refusal(REPO, LOCAL, "another token", 401)
        same = await workspace.broker.authorization(REPO, LOCAL)
        assert same is not None
        assert same.token == first
        await workspace.broker.report_refusal(REPO, LOCAL, first, 401)
        grant = await workspace.broker.authorization(REPO, LOCAL)
        assert grant is not None
        assert grant.token != first
        assert ("authorization_refused", {"account": "github", "status": 401}) in workspace.events


async def test_scopes_that_were_not_given_are_asked_for_again_once_the_service_misses_them() -> None:
    both = GitHub(scopes=["repo", "gist"])
    async with Workspace() as workspace:
        token = await authorized(workspace, both, scope=["repo"])
        assert await workspace.broker.authorization(both, LOCAL) is not None
        await workspace.broker.report_refusal(both, LOCAL, token, 403)
        assert await workspace.broker.authorization(both, LOCAL) is None
        assert await workspace.broker.authorization(REPO, LOCAL) is not None


async def test_a_user_who_refuses_ends_the_wait_and_is_asked_again() -> None:
    async with Workspace() as workspace:
        consent = await workspace.broker.consent(REPO, LOCAL)
        page = await agree(consent.url, "deny")
        assert "access_denied" in page
        with pytest.raises(TokenRefused, match="refused authorization: access_denied"):
            await within(consent.wait(5))
        assert await workspace.broker.authorization(REPO, LOCAL) is None
        assert await workspace.broker.consent(REPO, LOCAL) is not consent


async def test_who_waits_for_a_consent_hears_that_it_cannot_be_kept() -> None:
    class Full(MemoryVault):
        def set(self, namespace: str, key: str, value: str) -> None:
            raise ConfigurationError("Secrets cannot be kept here.")

    async with Workspace(Full()) as workspace:
        consent = await workspace.broker.consent(REPO, LOCAL)
        assert "The authorization failed: Secrets cannot be kept here." in await agree(consent.url)
        with pytest.raises(ConfigurationError, match="cannot be kept"):
            await within(consent.wait(5))


async def test_a_wait_that_is_over_leaves_the_consent_open() -> None:
    async with Workspace() as workspace:
        consent = await workspace.broker.consent(REPO, LOCAL)
        with pytest.raises(TimeoutError):
            await consent.wait(0.001)
        await agree(consent.url)
        assert await within(consent.wait(5)) is not None


async def test_what_is_forgotten_is_given_back() -> None:
    async with Workspace() as workspace:
        token = await authorized(workspace)
        assert (await get(f"{workspace.service.url}/userinfo", headers={"Authorization": f"Bearer {token}"})).is_success
        assert await workspace.broker.forget(REPO, LOCAL) is True
        assert await workspace.broker.authorization(REPO, LOCAL) is None
        answer = await get(f"{workspace.service.url}/userinfo", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401
        assert await workspace.broker.forget(REPO, LOCAL) is False


async def test_an_account_is_described_without_its_token() -> None:
    async with Workspace() as workspace:
        assert (await workspace.broker.status(REPO, LOCAL)).state == "needs consent"
        token = await authorized(workspace)
        account = await workspace.broker.status(REPO, LOCAL)
        assert (account.state, account.scopes, account.can_refresh) == ("authorized", ("repo",), True)
        assert account.expires_at == workspace.clock.now + 3600
        assert token not in repr(account)
        assert (await workspace.broker.status(Google(scopes=["x"]), LOCAL)).state == "needs consent"


async def test_an_unreadable_vault_counts_as_empty() -> None:
    async with Workspace() as workspace:
        await authorized(workspace)
        (key,) = workspace.vault._contents["auth"]
        for rubbish in ("", "{", "[]", "{}", '{"client_id": 7}', "[" * 100_000):
            workspace.vault._contents["auth"][key] = rubbish
            assert await workspace.broker.authorization(REPO, LOCAL) is None


async def test_the_device_flow_gives_a_token_without_a_redirect() -> None:
    async with Workspace() as workspace:
        begun = await workspace.broker.begin_device(REPO, LOCAL)
        assert begun.device_code not in repr(begun)
        pauses: list[float] = []

        async def agree_then(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 2:
                page = await get(f"{begun.url}?user_code={begun.user_code.lower()}")
                (ticket,) = workspace.service.tickets
                assert ticket in page.text
                assert workspace.service.decide(ticket, allow=True) == ""

        grant = await within(workspace.broker.finish_device(REPO, LOCAL, begun, agree_then))
        assert pauses == [1.0, 1.0]
        assert await workspace.broker.authorization(REPO, LOCAL) == grant


async def test_a_person_can_refuse_a_device() -> None:
    async with Workspace() as workspace:
        begun = await workspace.broker.begin_device(REPO, LOCAL)

        async def deny(seconds: float) -> None:
            await get(f"{begun.url}?user_code={begun.user_code}")
            workspace.service.decide(next(iter(workspace.service.tickets)), allow=False)

        with pytest.raises(TokenRefused, match="access_denied"):
            await within(workspace.broker.finish_device(REPO, LOCAL, begun, deny))


async def test_polling_for_an_abandoned_device_ends() -> None:
    async with Workspace() as workspace:
        begun = await workspace.broker.begin_device(REPO, LOCAL)
        assert begun.seconds == 900
        pauses: list[float] = []

        async def wait(seconds: float) -> None:
            pauses.append(seconds)

        with pytest.raises(AuthorizationFailed, match="was not entered in time"):
            await within(workspace.broker.finish_device(REPO, LOCAL, replace(begun, seconds=3), wait))
        assert pauses == [1.0] * 3


class Fixed:
    """One registration for everything."""

    def __init__(self, **facts: str) -> None:
        self.registration = Registration("github", PROVIDERS["github"], "http://127.0.0.1:1/callback/github", **facts)

    async def find(self, requirement: object) -> Registration:
        return self.registration

    async def close(self) -> None:
        """Nothing to close."""


async def test_without_a_client_there_is_nothing_to_ask_with() -> None:
    broker = Broker(Fixed(), Grants(MemoryVault(), Masker()))
    with pytest.raises(NoClient, match="set the secrets GITHUB_CLIENT_ID") as caught:
        await broker.authorization(REPO, LOCAL)
    assert caught.value.names.client_secret == "GITHUB_CLIENT_SECRET"
    assert (await broker.status(REPO, LOCAL)).state == "no client"
    with pytest.raises(NoClient):
        await broker.consent(REPO, LOCAL)


async def test_a_static_token_serves_only_the_user_of_this_machine() -> None:
    masker = Masker()
    broker = Broker(Fixed(token="ghp_secret"), Grants(MemoryVault(), masker))
    grant = await broker.authorization(REPO, LOCAL)
    assert grant is not None
    assert grant.token == "ghp_secret"
    assert "ghp_secret" not in masker.mask_text("ghp_secret")
    assert (await broker.status(REPO, LOCAL)).state == "static token"
    with pytest.raises(NoClient):
        await broker.authorization(REPO, Owner("ada@example.test", is_authenticated=True))


async def test_what_was_given_to_another_client_is_not_used() -> None:
    async with Workspace() as workspace:
        await authorized(workspace)
        broker = Broker(Fixed(client_id="another"), Grants(workspace.vault, Masker()))
        assert await broker.authorization(REPO, LOCAL) is None


async def test_a_broker_that_closes_ends_the_waits() -> None:
    async with Workspace() as workspace:
        consent = await workspace.broker.consent(REPO, LOCAL)
        waiting = spawn(consent.wait(5), "wait")
        await asyncio.sleep(0)
        await workspace.broker.close()
        with pytest.raises(AuthorizationFailed, match="was stopped"):
            await within(waiting)


async def test_a_refused_authorization_is_emitted() -> None:
    async with Workspace() as workspace:
        consent = await workspace.broker.consent(REPO, LOCAL)
        await agree(consent.url, "deny")
        with pytest.raises(TokenRefused):
            await within(consent.wait(5))
        await until(lambda: workspace.events)
        ((event, facts),) = workspace.events
        assert (event, facts["account"]) == ("authorization_failed", "github")
        assert "access_denied" in facts["reason"]


async def test_a_device_is_polled_in_the_background_until_its_user_has_finished() -> None:
    async with Workspace() as workspace:
        begun = replace(await workspace.broker.begin_device(REPO, LOCAL), interval=0.01)
        workspace.broker.finish_device_in_background(REPO, LOCAL, begun)
        await decided(f"{begun.url}?user_code={begun.user_code}")
        await until(lambda: workspace.events)
        assert workspace.events == [("authorized", {"account": "github", "scopes": ["repo"]})]


async def test_a_refused_device_is_reported_and_only_the_newest_is_polled() -> None:
    async with Workspace() as workspace:
        first = await workspace.broker.begin_device(REPO, LOCAL)
        workspace.broker.finish_device_in_background(REPO, LOCAL, first)
        second = replace(await workspace.broker.begin_device(REPO, LOCAL), interval=0.01)
        workspace.broker.finish_device_in_background(REPO, LOCAL, second)
        await decided(f"{second.url}?user_code={second.user_code}", "deny")
        await until(lambda: workspace.events)
        ((event, facts),) = workspace.events
        assert (event, facts["account"]) == ("authorization_failed", "github")


async def test_polling_for_an_unused_device_ends_when_the_broker_closes() -> None:
    async with Workspace() as workspace:
        workspace.broker.finish_device_in_background(REPO, LOCAL, await workspace.broker.begin_device(REPO, LOCAL))
    assert workspace.events == []


class Threaded(MemoryVault):
    """Notes which threads ask it."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: set[int] = set()

    def get(self, namespace: str, key: str) -> str | None:
        self.threads.add(threading.get_ident())
        return super().get(namespace, key)

    def set(self, namespace: str, key: str, value: str) -> None:
        self.threads.add(threading.get_ident())
        super().set(namespace, key, value)

    def delete(self, namespace: str, key: str) -> None:
        self.threads.add(threading.get_ident())
        super().delete(namespace, key)


async def test_the_vault_is_never_asked_on_the_event_loop() -> None:
    vault = Threaded()
    async with Workspace(vault) as workspace:
        token = await authorized(workspace, lifetime="100")
        workspace.clock.now += 100
        await workspace.broker.authorization(REPO, LOCAL)
        await workspace.broker.report_refusal(REPO, LOCAL, token, 401)
        await workspace.broker.status(REPO, LOCAL)
        await workspace.broker.forget(REPO, LOCAL)
    assert vault.threads
    assert threading.get_ident() not in vault.threads


async def test_a_refusal_of_a_token_does_not_undo_its_renewal() -> None:
    async with Workspace() as workspace:
        token = await authorized(workspace, lifetime="100")
        workspace.clock.now += 100
        renewed, _ = await within(
            asyncio.gather(
                workspace.broker.authorization(REPO, LOCAL), workspace.broker.report_refusal(REPO, LOCAL, token, 401)
            )
        )
        assert renewed is not None
        assert await workspace.broker.authorization(REPO, LOCAL) == renewed


async def test_all_renewed_tokens_are_masked() -> None:
    async with Workspace() as workspace:
        tokens = [await authorized(workspace, lifetime="100")]
        for _ in range(3):
            workspace.clock.now += 100
            grant = await workspace.broker.authorization(REPO, LOCAL)
            assert grant is not None
            tokens.append(grant.token)
        assert len(set(tokens)) == 4
        assert [workspace.masker.mask_text(token) for token in tokens] == ["<secret github token>"] * 4
