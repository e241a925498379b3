"""What others may do to a consent: answers that are none, replays, mix-ups, and services that misbehave."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from server_core.auth import GitHub, Slack
from server_core.auth.broker import consents
from server_core.auth.broker.account_grants import Grants
from server_core.auth.broker.broker import Broker
from server_core.auth.broker.registrations import Registration
from server_core.auth.broker.service import Service
from server_core.auth.providers import PROVIDERS
from server_core.oauth import web
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.records.masking import Masker
from server_core.secrets.vault import MemoryVault
from tests.server_core.auth.person import LOCAL, MockAccounts, decide, get, post
from tests.waiting import until, within

pytestmark = pytest.mark.promises("tool authorization")
REPO = GitHub(scopes=["repo"])
HUGE = b"{" + b" " * 2_000_000


async def test_an_answer_counts_once() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        other = await accounts.broker.consent(Slack(), LOCAL)  # Keeps the door open.
        back = (await decide(consent.url)).headers["location"]
        assert (await get(back)).status_code == 200
        replayed = await get(back)
        assert replayed.status_code == 400
        assert "no pending authorization" in replayed.text
        assert not other.grant.done()


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda url: url.replace("state=", "state=x"), 400),
        (lambda url: url.split("&state=")[0], 400),
        (lambda url: url + "&code=another", 400),
        (lambda url: url.replace("/callback/github", "/callback/slack"), 404),
        (lambda url: url.replace("/callback/github", "/callback"), 404),
        (lambda url: url + "&a=b" * 100, 400),
    ],
)
async def test_an_invalid_redirect_leaves_the_consent_open(change: Callable[[str], str], status: int) -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        back = (await decide(consent.url)).headers["location"]
        assert (await get(change(back))).status_code == status
        assert not consent.grant.done()
        assert (await get(back)).status_code == 200
        assert await accounts.broker.authorization(REPO, LOCAL) is not None


async def test_only_a_browser_of_this_machine_is_answered() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        back = (await decide(consent.url)).headers["location"]
        assert (await get(back, headers={"Host": "evil.test"})).status_code == 403
        assert (await post(back, {})).status_code == 405
        assert not consent.grant.done()


async def test_the_response_of_a_service_is_not_accepted_for_another() -> None:
    # RFC 9700 section 4.4: a service that forwards its visitors does not get the code of another service.
    async with MockAccounts() as accounts:
        ours = await accounts.broker.consent(Slack(), LOCAL)
        other = await accounts.broker.consent(REPO, LOCAL)
        state = parse_qs(urlsplit(ours.url).query)["state"][0]
        code_of_other = (await decide(other.url)).headers["location"]
        mixed = code_of_other.replace(f"state={other.state}", f"state={state}")
        assert (await get(mixed)).status_code == 404
        assert not ours.grant.done()


async def test_a_code_cannot_be_redeemed_by_others() -> None:
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        back = (await decide(consent.url)).headers["location"]
        code = parse_qs(urlsplit(back).query)["code"][0]
        stolen = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": "mock-client",
            "redirect_uri": consent.registration.redirect_uri,
        }
        for verifier in ({}, {"code_verifier": "a guess"}):
            answer = await post(f"{accounts.service.url}/token", {**stolen, **verifier})
            assert answer.json()["error"] == "invalid_grant"
        assert (await get(back)).status_code == 200


async def test_a_consent_that_is_not_given_times_out_and_ends_the_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consents, "CONSENT_SECONDS", 0.01)
    async with MockAccounts() as accounts:
        consent = await accounts.broker.consent(REPO, LOCAL)
        with pytest.raises(AuthorizationFailed, match="not completed in the browser"):
            await within(consent.wait(5))
        await until(lambda: not accounts.broker._consents._servers)
        with pytest.raises(httpx.ConnectError):
            await get(consent.registration.redirect_uri)


async def test_too_many_open_consents_remove_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consents, "MAX_CONSENTS", 2)
    async with MockAccounts() as accounts:
        first = await accounts.broker.consent(GitHub(id="a"), LOCAL)
        await accounts.broker.consent(GitHub(id="b"), LOCAL)
        await accounts.broker.consent(GitHub(id="c"), LOCAL)
        with pytest.raises(AuthorizationFailed, match="too many"):
            await within(first.wait(5))


async def test_a_port_in_use_is_reported() -> None:
    async with MockAccounts() as accounts:
        taken = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
        port = taken.sockets[0].getsockname()[1]
        registration = Registration("slack", PROVIDERS["slack"], f"http://localhost:{port}/callback/slack", "id")
        with pytest.raises(AuthorizationFailed, match=f"Port {port} of the redirect URI is in use"):
            await accounts.broker._consents.begin(registration, LOCAL, ())
        elsewhere = Registration("github", PROVIDERS["github"], f"http://127.0.0.1:{port}/callback/github", "id")
        consent = await accounts.broker._consents.begin(elsewhere, LOCAL, ())
        assert urlsplit(consent.registration.redirect_uri).port != port
        taken.close()
        await taken.wait_closed()


@pytest.mark.parametrize("place", ["https://localhost:1/x", "http://example.test:1/x", "http://localhost/x", ""])
async def test_redirects_to_other_hosts_are_refused(place: str) -> None:
    async with MockAccounts() as accounts:
        registration = Registration("slack", PROVIDERS["slack"], place, "id")
        with pytest.raises(AuthorizationFailed, match=r"not a loopback URI|is not"):
            await accounts.broker._consents.begin(registration, LOCAL, ())


# Services that misbehave.


class Answers(httpx.AsyncBaseTransport):
    """Answers every request in the same way."""

    def __init__(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        self.requests: list[httpx.Request] = []
        self.status, self.body, self.headers = status, body, headers

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)

        async def pieces() -> AsyncIterator[bytes]:
            yield self.body

        return httpx.Response(self.status, headers=self.headers, content=pieces())


def service(transport: httpx.AsyncBaseTransport, account: str = "github") -> Service:
    secret = "the-client-secret"
    return Service(Registration(account, PROVIDERS[account], "", "the-client", secret), transport)


async def test_a_misbehaving_token_endpoint_issues_no_token() -> None:
    for answer, message in (
        (Answers(200, b"<html>Log in</html>"), "invalid token response"),
        (Answers(502, b"<html>Bad gateway</html>"), "refused to issue a token"),
        (Answers(200, b"[1, 2]"), "invalid token response"),
        (Answers(200, b'{"access_token": 7}'), "invalid token response"),
        (Answers(200, b'{"access_token": "a\\nb"}'), "invalid token response"),
        (Answers(200, HUGE), "longer than the limit"),
        (Answers(200, b"{}", **{"content-encoding": "gzip"}), "compressed"),
        (Answers(302, b"", location="https://evil.test/"), "redirects elsewhere"),
        (Answers(200, b'{"error": "bad_verification_code"}'), "bad_verification_code"),
        (Answers(200, b'{"ok": false, "error": "invalid_code"}'), "invalid_code"),
        (Answers(400, b'{"error": "x", "error_description": "the-client-secret"}'), "refused to issue a token"),
    ):
        with pytest.raises(AuthorizationFailed, match=message) as failure:
            await within(service(answer).redeem("the-code", "the-verifier", "http://127.0.0.1:1/callback/github"))
        for secret in ("the-client-secret", "the-code", "the-verifier"):
            assert secret not in str(failure.value)


async def test_a_token_endpoint_that_hangs_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "REQUEST_SECONDS", 0.01)

    class Hangs(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.Event().wait()
            raise AssertionError

    with pytest.raises(AuthorizationFailed, match="did not respond within"):
        await within(service(Hangs()).redeem("c", "v", "r"))


@pytest.mark.parametrize(
    ("account", "answer", "scopes"),
    [
        ("github", {"access_token": "t", "scope": "repo,gist"}, ("repo", "gist")),
        ("twitch", {"access_token": "t", "scope": ["a", "b", 7]}, ("a", "b")),
        ("slack", {"ok": True, "authed_user": {"access_token": "t", "scope": "chat:write,users:read"}}, None),
        ("google", {"access_token": "t", "scope": "a b a"}, ("a", "b")),
        ("clickup", {"access_token": "t"}, None),
    ],
)
async def test_each_form_of_a_token_response_is_read(account: str, answer: Any, scopes: tuple[str, ...] | None) -> None:
    grant = await service(Answers(200, json.dumps(answer).encode()), account).redeem("c", "v", "r")
    assert grant.access_token == "t"
    if account == "slack":
        scopes = ("chat:write", "users:read")
    assert grant.scopes == scopes


@pytest.mark.parametrize(
    ("account", "in_header", "is_json", "proves"),
    [
        ("github", False, False, True),
        ("notion", True, True, False),
        ("reddit", True, False, False),
        ("atlassian", False, True, False),
        ("spotify", True, False, True),
    ],
)
async def test_each_service_gets_requests_in_its_own_format(
    account: str, in_header: bool, is_json: bool, proves: bool
) -> None:
    transport = Answers(200, b'{"access_token": "t"}')
    await service(transport, account).redeem("the-code", "the-verifier", "r")
    (request,) = transport.requests
    body = request.content.decode()
    assert ("authorization" in request.headers) is in_header
    assert ("the-client-secret" in body) is not in_header
    assert body.startswith("{") is is_json
    assert ("the-verifier" in body) is proves
    assert "resource" not in body


async def test_user_information_is_bounded_and_optional() -> None:
    for answer in (Answers(500), Answers(200, b"<html>"), Answers(200, b'{"a": "%s"}' % (b"x" * 20_000))):
        assert await service(answer).user_info("t") == {}
    assert await service(Answers(200, b'{"login": "ada"}')).user_info("t") == {"login": "ada"}


@asynccontextmanager
async def ill(transport: httpx.AsyncBaseTransport) -> AsyncIterator[tuple[Broker, MemoryVault]]:
    """A broker whose service is ill, with a token that has ended."""
    vault = MemoryVault()

    class Fixed:
        async def find(self, requirement: object) -> Registration:
            return Registration("github", PROVIDERS["github"], "http://127.0.0.1:0/callback/github", "the-client")

        async def close(self) -> None: ...

    broker = Broker(Fixed(), Grants(vault, Masker()), transport=transport, clock=lambda: 1000.0)
    kept = {
        "client_id": "the-client",
        "access_token": "old",
        "refresh_token": "again",
        "expires_at": 900.0,
        "requested": ["repo"],
        "granted": ["repo"],
        "user_info": {},
        "is_refused": False,
    }
    vault.set("auth", json.dumps(["github", "", False]), json.dumps(kept))
    yield broker, vault
    await broker.close()


@pytest.mark.parametrize("answer", [Answers(503, b"<html>"), Answers(500, b'{"error": "server_error"}'), Answers(200)])
async def test_a_failing_service_does_not_revoke_a_consent(answer: Answers) -> None:
    async with ill(answer) as (broker, vault):
        before = dict(vault._contents["auth"])
        with pytest.raises(AuthorizationFailed):
            await within(broker.authorization(REPO, LOCAL))
        assert vault._contents["auth"] == before


async def test_the_user_is_asked_when_the_service_no_longer_knows_the_refresh_token() -> None:
    async with ill(Answers(400, b'{"error": "invalid_grant"}')) as (broker, _):
        assert await within(broker.authorization(REPO, LOCAL)) is None


async def test_a_refusal_of_the_device_flow_is_reported() -> None:
    async with ill(Answers(400, b'{"error": "unauthorized_client"}')) as (broker, _):
        with pytest.raises(TokenRefused, match="unauthorized_client"):
            await within(broker.begin_device(REPO, LOCAL))
    evil = b'{"device_code": "d", "user_code": "u", "verification_uri": "http://evil.test/"}'
    async with ill(Answers(200, evil)) as (broker, _):
        with pytest.raises(AuthorizationFailed, match="not secure"):
            await within(broker.begin_device(REPO, LOCAL))


@pytest.mark.parametrize(
    ("member", "interval"),
    [("", 5), (', "interval": 0', 5), (', "interval": 0.01', 1), (', "interval": 7.5', 7.5), (', "interval": 1e6', 60)],
)
async def test_a_device_is_polled_at_reasonable_intervals(member: str, interval: float) -> None:
    begun = b'{"device_code": "d", "user_code": "u", "verification_uri": "https://github.com/login/device"%s}'
    async with ill(Answers(200, begun % member.encode())) as (broker, _):
        assert (await within(broker.begin_device(REPO, LOCAL))).interval == interval
