"""A user with a browser, for the pages of the mock service, and a broker that uses it in place of all services."""

import re
from typing import Any

import httpx

from server_core.auth import GitHub
from server_core.auth.broker.account_grants import Grants, Owner
from server_core.auth.broker.broker import Broker
from server_core.auth.broker.registrations import MockRegistrations
from server_core.auth.mock.mock_service import MockService
from server_core.records.masking import Masker
from server_core.secrets.vault import MemoryVault
from tests.clock import Clock
from tests.waiting import within

LOCAL = Owner()
REPO = GitHub(scopes=["repo"])
"""The single user of this machine, who need not authenticate."""


class MockAccounts:
    """A broker, the mock service that it uses, and the events that it has emitted."""

    def __init__(self, vault: MemoryVault | None = None) -> None:
        self.clock = Clock(1_000_000.0)
        self.vault = vault or MemoryVault()
        self.masker = Masker()
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.service = MockService(clock=self.clock)
        self.broker = Broker(
            MockRegistrations(self.service),
            Grants(self.vault, self.masker),
            emit=lambda event, **facts: self.events.append((event, facts)),
            clock=self.clock,
        )

    async def __aenter__(self) -> "MockAccounts":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.broker.close()


async def get(url: str, **options: Any) -> httpx.Response:
    """Request a URL, without following redirects."""
    async with httpx.AsyncClient(timeout=5, trust_env=False) as client:
        return await client.get(url, **options)


async def post(url: str, form: dict[str, Any], **options: Any) -> httpx.Response:
    async with httpx.AsyncClient(timeout=5, trust_env=False) as client:
        return await client.post(url, data=form, **options)


async def decide(url: str, decision: str = "allow", **fields: Any) -> httpx.Response:
    """Open a consent page, decide with `allow` or `deny`, and return the response, a redirect.

    `fields` are others of the form, such as `scope` and `lifetime`.
    """
    page = await get(url)
    assert page.status_code == 200, page.text
    ticket = re.search(r'name="ticket" value="([^"]+)"', page.text)
    assert ticket is not None
    scopes = re.findall(r'name="scope" value="([^"]+)"', page.text)
    action = str(httpx.URL(url).join("/decide"))
    return await post(action, {"ticket": ticket[1], "decision": decision, "scope": scopes, **fields})


async def agree(url: str, decision: str = "allow", **fields: Any) -> str:
    """Open a consent page, decide, follow the redirect, and return the text of the last page."""
    answer = await decide(url, decision, **fields)
    assert answer.status_code == 303, answer.text
    return (await get(answer.headers["location"])).text


async def authorized(accounts: MockAccounts, requirement: Any = REPO, owner: Owner = LOCAL, **fields: Any) -> str:
    """Have the person agree, and return the token."""
    consent = await accounts.broker.consent(requirement, owner)
    await agree(consent.url, **fields)
    await within(consent.wait(5))
    grant = await accounts.broker.authorization(requirement, owner)
    assert grant is not None
    return grant.token
