"""The mock service: as strict as a real one, and safe to have open in a browser."""

import pytest

from server_core.auth import GitHub
from tests.server_core.auth.person import LOCAL, MockAccounts, decide, get, post

pytestmark = pytest.mark.promises("tool authorization")
GOOD = "response_type=code&client_id=c&code_challenge=x&code_challenge_method=S256&redirect_uri=http://127.0.0.1:1/back"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("http://127.0.0.1:1/back", "https://evil.test/"),
        ("http://127.0.0.1:1/back", "javascript:alert(1)"),
        ("http://127.0.0.1:1/back", "http://127.0.0.1.evil.test/"),
        ("response_type=code", "response_type=token"),
        ("method=S256", "method=plain"),
    ],
)
async def test_a_request_that_no_service_should_take_is_refused(old: str, new: str) -> None:
    async with MockAccounts() as accounts:
        await accounts.service.start()
        assert (await get(f"{accounts.service.url}/authorize?{GOOD}")).status_code == 200
        assert (await get(f"{accounts.service.url}/authorize?{GOOD.replace(old, new)}")).status_code == 400


async def test_no_part_of_a_request_becomes_part_of_the_page() -> None:
    async with MockAccounts() as accounts:
        await accounts.service.start()
        evil = "%3Cscript%3Ealert(1)%3C/script%3E%22%3E"
        page = await get(f"{accounts.service.url}/authorize?{GOOD}&service={evil}&scope={evil}&state={evil}")
        assert "<script" not in page.text
        assert "&lt;script&gt;" in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert page.headers["x-frame-options"] == "DENY"


async def test_a_decision_counts_once() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(GitHub(scopes=["repo"]), LOCAL)
        await get(consent.url)
        (ticket,) = accounts.service.tickets
        form = {"ticket": ticket, "decision": "allow", "scope": "repo"}
        assert (await post(f"{accounts.service.url}/decide", form)).status_code == 303
        assert (await post(f"{accounts.service.url}/decide", form)).status_code == 400


async def test_tokens_expire_when_the_user_revokes_them() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(GitHub(), LOCAL)
        await get((await decide(consent.url, lifetime="60")).headers["location"])
        grant = await accounts.broker.authorization(GitHub(), LOCAL)
        assert grant is not None
        headers = {"Authorization": f"Bearer {grant.token}"}
        assert (await get(f"{accounts.service.url}/userinfo", headers=headers)).status_code == 200
        accounts.clock.now += 60
        assert (await get(f"{accounts.service.url}/userinfo", headers=headers)).status_code == 401


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"grant_type": "password"},
        {"grant_type": "refresh_token", "refresh_token": "x"},
        {"grant_type": "authorization_code", "code": "x"},
        {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "x"},
    ],
)
async def test_invalid_requests_get_no_token(form: dict[str, str]) -> None:
    async with MockAccounts() as accounts:
        await accounts.service.start()
        answer = await post(f"{accounts.service.url}/token", form)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
        assert (await get(f"{accounts.service.url}/nowhere")).status_code == 404
        assert (await get(f"{accounts.service.url}/device?user_code=BCDF-BCDF")).status_code == 400
