"""From what a tool requires to a token: consent, scopes, refusal, and the end of the broker."""

import asyncio
import threading

import pytest

from server_core.auth import GitHub, Google, OAuth2
from server_core.auth.broker.account_grants import Grants, Owner
from server_core.auth.broker.broker import Broker, NoClient
from server_core.auth.broker.registrations import Registration
from server_core.auth.providers import PROVIDERS
from server_core.errors import ConfigurationError
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.records.masking import Masker
from server_core.runtime.background import spawn
from server_core.secrets.vault import MemoryVault
from tests.server_core.auth.person import LOCAL, REPO, MockAccounts, agree, authorized
from tests.waiting import until, within

pytestmark = pytest.mark.promises("tool authorization")


async def test_a_user_agrees_once_and_the_token_is_available_afterwards() -> None:
    async with MockAccounts() as accounts:
        assert await accounts.broker.authorization(REPO, LOCAL) is None
        consent = await accounts.broker.consent(REPO, LOCAL)
        assert consent.scopes == ("repo",)
        page = await agree(consent.url, person="ada")
        assert "can now use your account with GitHub (mock)" in page
        await within(consent.wait(5))
        grant = await accounts.broker.authorization(REPO, LOCAL)
        assert grant is not None
        assert grant.token.startswith("mock-")
        assert grant.user_info["email"] == "ada"
        assert accounts.events == [("authorized", {"account": "github", "scopes": ["repo"]})]


async def test_nothing_that_is_secret_shows() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        await agree(consent.url)
        await within(consent.wait(5))
        grant = await accounts.broker.authorization(REPO, LOCAL)
        assert grant is not None
        (kept,) = accounts.vault._contents["auth"].values()
        refresh = kept.partition('"refresh_token": "')[2].partition('"')[0]
        assert refresh.startswith("mock-refresh-")
        for shown in (repr(grant), repr(consent), repr(accounts.events), repr(accounts.broker)):
            assert grant.token not in shown
            assert refresh not in shown
            assert consent.verifier not in shown
        assert grant.token not in accounts.masker.mask_text(f"Bearer {grant.token} {refresh}")
        assert refresh not in accounts.masker.mask_text(refresh)


async def test_a_user_who_is_being_asked_gets_no_second_request() -> None:
    async with MockAccounts() as accounts:
        first, second = await asyncio.gather(accounts.broker.consent(REPO, LOCAL), accounts.broker.consent(REPO, LOCAL))
        assert first is second
        other = await accounts.broker.consent(REPO, Owner("another user"))
        assert other is not first


async def test_users_do_not_share_tokens() -> None:
    async with MockAccounts() as accounts:
        mine = await authorized(accounts, owner=Owner("me"))
        assert await accounts.broker.authorization(REPO, Owner("me", is_authenticated=True)) is None
        assert await authorized(accounts, owner=Owner("me", is_authenticated=True)) != mine


async def test_registrations_of_one_service_do_not_share_either() -> None:
    async with MockAccounts() as accounts:
        await authorized(accounts)
        assert await accounts.broker.authorization(GitHub(id="work", scopes=["repo"]), LOCAL) is None
        assert await accounts.broker.authorization(OAuth2(id="crm"), LOCAL) is None


async def test_more_scopes_are_asked_for_together_with_those_before() -> None:
    async with MockAccounts() as accounts:
        await authorized(accounts)
        more = GitHub(scopes=["gist"])
        assert await accounts.broker.authorization(more, LOCAL) is None
        consent = await accounts.broker.consent(more, LOCAL)
        assert consent.scopes == ("repo", "gist")
        await agree(consent.url)
        await within(consent.wait(5))
        assert await accounts.broker.authorization(more, LOCAL) is not None
        assert await accounts.broker.authorization(REPO, LOCAL) is not None


async def test_scopes_that_were_not_granted_are_requested_again_once_the_service_requires_them() -> None:
    both = GitHub(scopes=["repo", "gist"])
    async with MockAccounts() as accounts:
        token = await authorized(accounts, both, scope=["repo"])
        assert await accounts.broker.authorization(both, LOCAL) is not None
        await accounts.broker.report_refusal(both, LOCAL, token, 403)
        assert await accounts.broker.authorization(both, LOCAL) is None
        assert await accounts.broker.authorization(REPO, LOCAL) is not None


async def test_a_user_who_refuses_ends_the_wait_and_is_asked_again() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        page = await agree(consent.url, "deny")
        assert "access_denied" in page
        with pytest.raises(TokenRefused, match="refused authorization: access_denied"):
            await within(consent.wait(5))
        assert await accounts.broker.authorization(REPO, LOCAL) is None
        assert await accounts.broker.consent(REPO, LOCAL) is not consent


async def test_a_waiting_caller_gets_the_error_when_a_grant_cannot_be_stored() -> None:
    class Full(MemoryVault):
        def set(self, namespace: str, key: str, value: str) -> None:
            raise ConfigurationError("Secrets cannot be kept here.")

    async with MockAccounts(Full()) as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        assert "The authorization failed: Secrets cannot be kept here." in await agree(consent.url)
        with pytest.raises(ConfigurationError, match="cannot be kept"):
            await within(consent.wait(5))


async def test_a_wait_that_is_over_leaves_the_consent_open() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        with pytest.raises(TimeoutError):
            await consent.wait(0.001)
        await agree(consent.url)
        assert await within(consent.wait(5)) is not None


async def test_an_account_is_described_without_its_token() -> None:
    async with MockAccounts() as accounts:
        assert (await accounts.broker.status(REPO, LOCAL)).state == "needs consent"
        token = await authorized(accounts)
        account = await accounts.broker.status(REPO, LOCAL)
        assert (account.state, account.scopes, account.can_refresh) == ("authorized", ("repo",), True)
        assert account.expires_at == accounts.clock.now + 3600
        assert token not in repr(account)
        assert (await accounts.broker.status(Google(scopes=["x"]), LOCAL)).state == "needs consent"


async def test_an_unreadable_vault_counts_as_empty() -> None:
    async with MockAccounts() as accounts:
        await authorized(accounts)
        (key,) = accounts.vault._contents["auth"]
        for rubbish in ("", "{", "[]", "{}", '{"client_id": 7}', "[" * 100_000):
            accounts.vault._contents["auth"][key] = rubbish
            assert await accounts.broker.authorization(REPO, LOCAL) is None


class Fixed:
    """One registration for everything."""

    def __init__(self, **facts: str) -> None:
        self.registration = Registration("github", PROVIDERS["github"], "http://127.0.0.1:1/callback/github", **facts)

    async def find(self, requirement: object) -> Registration:
        return self.registration

    async def close(self) -> None:
        """Nothing to close."""


async def test_without_a_client_no_token_can_be_requested() -> None:
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


async def test_a_grant_to_another_client_is_not_used() -> None:
    async with MockAccounts() as accounts:
        await authorized(accounts)
        broker = Broker(Fixed(client_id="another"), Grants(accounts.vault, Masker()))
        assert await broker.authorization(REPO, LOCAL) is None


async def test_a_broker_that_closes_ends_the_waits() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        waiting = spawn(consent.wait(5), "wait")
        await asyncio.sleep(0)
        await accounts.broker.close()
        with pytest.raises(AuthorizationFailed, match="was stopped"):
            await within(waiting)


async def test_a_refused_authorization_is_emitted() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        await agree(consent.url, "deny")
        with pytest.raises(TokenRefused):
            await within(consent.wait(5))
        await until(lambda: accounts.events)
        ((event, facts),) = accounts.events
        assert (event, facts["account"]) == ("authorization_failed", "github")
        assert "access_denied" in facts["reason"]


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


async def test_the_vault_is_never_read_on_the_event_loop() -> None:
    vault = Threaded()
    async with MockAccounts(vault) as accounts:
        token = await authorized(accounts, lifetime="100")
        accounts.clock.now += 100
        await accounts.broker.authorization(REPO, LOCAL)
        await accounts.broker.report_refusal(REPO, LOCAL, token, 401)
        await accounts.broker.status(REPO, LOCAL)
        await accounts.broker.forget(REPO, LOCAL)
    assert vault.threads
    assert threading.get_ident() not in vault.threads
