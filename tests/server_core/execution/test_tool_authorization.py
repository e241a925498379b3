"""Calls of tools that require an account: which account is used, and the error when there is none."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.auth import GitHub
from server_core.auth.broker.account_grants import Grants, Owner
from server_core.auth.broker.broker import Broker
from server_core.auth.broker.registrations import Registration
from server_core.auth.providers import PROVIDERS
from server_core.errors import UpstreamError
from server_core.execution import tool_authorization
from server_core.oauth.errors import AuthorizationFailed
from server_core.records.masking import Masker
from server_core.records.tap import Tap
from server_core.secrets.vault import MemoryVault
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.auth.person import LOCAL, MockAccounts, agree
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, call, generation, initialize, secret_values
from tests.waiting import until, within

pytestmark = pytest.mark.promises("tool authorization")
SUPPORTS_URLS = {"elicitation": {"url": {}, "form": {}}}


class Shop:
    """A server with one tool that requires an account, and its client.

    Args:
        broker: the broker of the server.
        peer: the IP address and port of a client over HTTP; empty for a client on stdio.
        principal: the authenticated identity of the client.
        settings: the settings of the server.
    """

    def __init__(
        self, broker: Broker | None, *, peer: str = "", principal: str = "", settings: Settings | None = None
    ) -> None:
        self.is_refused = self.is_forgotten = False
        app = MCPApp("shop", toolkit="")

        @app.tool(requires_auth=GitHub(scopes=["repo"]))
        async def who(context: Context) -> str:
            """Return the token of the account."""
            if self.is_refused:
                self.is_forgotten = True
                raise UpstreamError("GitHub refuses.", status_code=401)
            return context.get_auth_token_or_empty()

        self.server = Server(Tap(), settings or Settings(state_key="k" * 32), secret_values, app.identity)
        if broker is not None:
            self.server.open_broker = lambda: broker
        catalog, problems = app.build()
        assert not problems
        self.server.swap(generation(catalog, app))
        self.outlet = RecordingOutlet()
        transport = "http" if peer else "stdio"
        self.session = self.server.open_session(self.outlet, transport, peer_name=peer, principal=principal)

    def initialize_session(self, **capabilities: Any) -> None:
        self.session.receive(initialize("2025-11-25", **capabilities))
        self.session.receive(INITIALIZED)
        self.outlet.sent.clear()

    async def call(self, id: int = 1) -> tuple[str, dict[str, Any]]:
        """Call the tool, and return its first text and the JSON text beside it."""
        self.session.receive(call(id, "tools/call", name="who"))
        return await self.answer(id)

    async def answer(self, id: int = 1) -> tuple[str, dict[str, Any]]:
        await until(lambda: any(message.get("id") == id and "result" in message for message in self.outlet.sent))
        content = next(message for message in self.outlet.sent if message.get("id") == id and "result" in message)[
            "result"
        ]["content"]
        return content[0]["text"], json.loads(content[1]["text"]) if len(content) > 1 else {}


class FixedRegistrations:
    """The registrations of one service."""

    def __init__(self, **facts: str) -> None:
        self.registration = Registration(
            "github", PROVIDERS["github"], "http://127.0.0.1:8975/callback/github", **facts
        )

    async def find(self, requirement: object) -> Registration:
        return self.registration

    async def close(self) -> None: ...


def without_network(**facts: str) -> Broker:
    return Broker(FixedRegistrations(**facts), Grants(MemoryVault(), Masker()))


async def test_the_error_for_a_missing_registration_names_its_place() -> None:
    shop = Shop(without_network())
    shop.initialize_session()
    text, facts = await shop.call()
    assert text.startswith("✗ Missing client for GitHub\n\n  Tool 'who' requires authorization")
    for text_part in (
        "GITHUB_CLIENT_ID",
        "GITHUB_CLIENT_SECRET",
        "GITHUB_TOKEN",
        "https://github.com/settings/developers",
        "http://127.0.0.1:8975/callback/github",
    ):
        assert text_part in text
        assert text_part in facts["llm_instructions"]
    assert "WORKBENCH_AUTH=mock" in text


async def test_a_tool_gets_a_static_token() -> None:
    shop = Shop(without_network(token="ghp_static"))
    shop.initialize_session()
    assert (await shop.call())[0] == "ghp_static"


async def test_a_server_without_a_broker_is_reported() -> None:
    shop = Shop(None)
    shop.initialize_session()
    assert (await shop.call())[0].startswith("✗ Authorization error")


async def test_a_failure_of_a_service_is_reported_as_such() -> None:
    class FailingRegistrations(FixedRegistrations):
        async def find(self, requirement: object) -> Registration:
            raise AuthorizationFailed("https://github.com cannot be reached (ConnectError).")

    shop = Shop(Broker(FailingRegistrations(), Grants(MemoryVault(), Masker())))
    shop.initialize_session()
    text, facts = await shop.call()
    assert text.startswith("✗ Authorization error\n\n  Tool 'who' failed to authorize.\n\n  Error: https://github.com")
    assert "cannot be reached" in facts["llm_instructions"]


async def test_a_failed_call_is_answered_even_if_the_refusal_of_its_token_cannot_be_stored() -> None:
    class RefusingRegistrations(FixedRegistrations):
        async def find(self, requirement: object) -> Registration:
            if shop.is_forgotten:
                raise AuthorizationFailed("https://github.com cannot be reached (ConnectError).")
            return self.registration

    broker = Broker(RefusingRegistrations(token="ghp_static"), Grants(MemoryVault(), Masker()))
    shop = Shop(broker)
    shop.initialize_session()
    shop.is_refused = True
    events: list[Mapping[str, Any]] = []
    shop.server.tap.watch_events(events.append)
    assert "GitHub refuses." in (await shop.call())[0]
    assert [item["message"] for item in events if item["event"] == "refusal_lost"] == [
        "https://github.com cannot be reached (ConnectError)."
    ]


@pytest.mark.parametrize("peer", ["127.0.0.1:5000", "127.0.0.1", "::1", "::1:5000", "127.9.9.9:1"])
async def test_over_http_local_clients_are_served(peer: str) -> None:
    shop = Shop(without_network(token="ghp_static"), peer=peer)
    shop.initialize_session()
    assert (await shop.call())[0] == "ghp_static"


@pytest.mark.parametrize("peer", ["192.0.2.7:5000", "192.0.2.7", "2001:db8::1", "localhost.evil.test:1", "?"])
async def test_over_http_an_unauthenticated_remote_caller_is_refused(peer: str) -> None:
    shop = Shop(without_network(token="ghp_static"), peer=peer)
    shop.initialize_session()
    text, facts = await shop.call()
    assert text.startswith("✗ Unsupported transport\n\n  Tool 'who' cannot run over HTTP")
    assert "whose" in facts["llm_instructions"]


async def test_behind_a_proxy_no_client_counts_as_local() -> None:
    settings = Settings(allowed_hosts="tools.example.com", state_key="k" * 32)
    shop = Shop(without_network(token="ghp_static"), peer="127.0.0.1:5000", settings=settings)
    shop.initialize_session()
    assert (await shop.call())[0].startswith("✗ Unsupported transport")


async def test_authenticated_users_have_their_own_accounts() -> None:
    async with MockAccounts() as accounts:
        ada = Shop(accounts.broker, peer="192.0.2.7:1", principal="ada")
        ada.initialize_session()
        _, facts = await ada.call()
        await agree(facts["authorization_url"])
        assert (await ada.call(2))[0].startswith("mock-")
        bob = Shop(accounts.broker, peer="192.0.2.7:1", principal="bob")
        bob.initialize_session()
        assert (await bob.call())[0].startswith("⚠ Authorization required")
        assert await accounts.broker.authorization(GitHub(scopes=["repo"]), LOCAL) is None
        assert await accounts.broker.authorization(GitHub(scopes=["repo"]), Owner("ada")) is None


async def test_the_user_of_this_machine_may_have_several_ids() -> None:
    async with MockAccounts() as accounts:
        shop = Shop(accounts.broker, settings=Settings(user_id="work@example.test"))
        shop.initialize_session()
        _, facts = await shop.call()
        await agree(facts["authorization_url"])
        assert (await shop.call(2))[0].startswith("mock-")
        named = Owner("work@example.test")
        assert await accounts.broker.authorization(GitHub(scopes=["repo"]), named) is not None
        assert await accounts.broker.authorization(GitHub(scopes=["repo"]), LOCAL) is None


async def test_a_user_who_does_not_consent_in_time_gets_the_url_in_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_authorization, "CONSENT_TIMEOUT", 0.02)
    async with MockAccounts() as accounts:
        shop = Shop(accounts.broker)
        shop.initialize_session(**SUPPORTS_URLS)
        text, facts = await shop.call()
        assert text.startswith("⚠ Authorization required")
        await agree(facts["authorization_url"])
        assert (await shop.call(2))[0].startswith("mock-")


async def test_the_client_is_notified_when_the_user_returns() -> None:
    async with MockAccounts() as accounts:
        shop = Shop(accounts.broker)
        shop.initialize_session(**SUPPORTS_URLS)
        shop.session.receive(call(1, "tools/call", name="who"))
        await until(lambda: any(item.get("method") == "elicitation/create" for item in shop.outlet.sent))
        asked = next(item for item in shop.outlet.sent if item.get("method") == "elicitation/create")
        assert asked["params"]["mode"] == "url"
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept"}}
        shop.session.receive(json.dumps(answer).encode())
        await agree(asked["params"]["url"])
        assert (await shop.answer())[0].startswith("mock-")
        ended = [item for item in shop.outlet.sent if item.get("method") == "notifications/elicitation/complete"]
        assert [item["params"] for item in ended] == [{"elicitationId": asked["params"]["elicitationId"]}]


async def test_a_call_that_is_cancelled_leaves_the_consent_open() -> None:
    async with MockAccounts() as accounts:
        shop = Shop(accounts.broker)
        shop.initialize_session(**SUPPORTS_URLS)
        shop.session.receive(call(1, "tools/call", name="who"))
        await until(lambda: any(message.get("method") == "elicitation/create" for message in shop.outlet.sent))
        asked = next(message for message in shop.outlet.sent if message.get("method") == "elicitation/create")
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        shop.session.receive(json.dumps(cancel).encode())
        await asyncio.sleep(0)
        await agree(asked["params"]["url"])
        assert (await within(shop.call(2)))[0].startswith("mock-")
