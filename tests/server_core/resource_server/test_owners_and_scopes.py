"""The owner of a session and of a call, and the scopes that a call requires."""

import asyncio
import json

import httpx
import pytest

from server_core.records.tap import Tap
from server_core.resource_server.admission import Admission
from server_core.runtime.background import spawn
from server_core.serving.relay import Relay
from server_core.settings import Settings
from server_core.transports.channel import Channel
from server_core.transports.memory import MemoryChannel
from server_core.transports.streamable.endpoint import StreamableHttp as application
from tests.server_core.resource_server.authority import CANONICAL, ISSUER, Authority
from tests.server_core.resource_server.protected_server import (
    METADATA,
    ProtectedServer,
    TokenClient,
    auth_of,
    serve,
    text,
)
from tests.server_core.toolkit import Records, call, initialize, new_server
from tests.server_core.transports.http_site import ACCEPT
from tests.server_core.transports.test_http_stateless import META, headers
from tests.waiting import within

pytestmark = pytest.mark.promises("resource server")


async def test_a_tool_learns_the_owner_of_the_token(user: TokenClient, authority: Authority) -> None:
    token = authority.token(sub="ada", scope="read mcp")
    session = await user.session(token)
    assert text(await user.call(session, token, "whoami")) == "ada ['mcp', 'read']"
    assert text(await user.call(session, token, "whoami_on_a_thread", 2)) == "ada"
    assert json.loads(text(await user.call(session, token, "relay", 3))) == {"result": "ada ['mcp', 'read']"}


async def test_the_owner_of_a_session_is_shown(user: TokenClient, authority: Authority) -> None:
    await user.session(authority.token(sub="ada"))
    (event,) = [event for event in user.records.events() if event["event"] == "session_opened"]
    assert event["user"] == f"{ISSUER} ada"


async def test_a_request_without_a_session_has_the_owner_of_its_token(user: TokenClient, authority: Authority) -> None:
    for name in ("ada", "bob"):
        response = await user.send(
            call(1, "tools/call", name="whoami", arguments={}, _meta=META),
            authority.token(sub=name),
            **headers("tools/call", "whoami"),
        )
        assert text(response) == f"{name} ['mcp']"


async def test_a_session_cannot_be_used_by_another_user(user: TokenClient, authority: Authority) -> None:
    session = await user.session(authority.token(sub="ada"))
    others = await user.call(session, authority.token(sub="bob"), "whoami")
    assert others.status_code == 404
    assert (await user.call(session, authority.token(sub="ada"), "whoami")).status_code == 200
    listening = await within(
        user.client.get(
            "/mcp", headers={"Mcp-Session-Id": session, "Authorization": f"Bearer {authority.token(sub='bob')}"}
        )
    )
    assert listening.status_code == 404


async def test_a_session_continues_with_a_new_token_of_its_user_and_each_call_has_its_own(
    user: TokenClient, authority: Authority
) -> None:
    session = await user.session(authority.token(scope="mcp"))
    assert text(await user.call(session, authority.token(scope="mcp more"), "whoami")) == "ada ['mcp', 'more']"
    assert text(await user.call(session, authority.token(scope="mcp"), "whoami", 2)) == "ada ['mcp']"


async def test_a_queued_call_has_the_owner_of_its_token(authority: Authority) -> None:
    door = ProtectedServer(auth_of(authority))
    server = new_server(door, settings=Settings(max_calls=1))
    inner = application(server, Settings(shutdown_grace=0.5, max_calls=1))
    async with (
        inner.lifespan(),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(inner), base_url="https://mcp.example.com", headers=ACCEPT
        ) as client,
    ):
        user = TokenClient(client, Records(server.tap))
        rich, poor = authority.token(scope="mcp write"), authority.token(scope="mcp")
        session = await user.session(rich)
        first = spawn(user.call(session, rich, "write_late", 1), "first")
        await within(door.entered.wait())
        second = spawn(user.call(session, poor, "whoami", 2), "second")
        await asyncio.sleep(0)
        door.gate.set()
        assert text(await within(second)) == "ada ['mcp']"
        await within(first)


async def test_a_caller_with_a_token_may_use_tools_with_secrets_from_anywhere(authority: Authority) -> None:
    async with serve(ProtectedServer(auth_of(authority)), allowed_hosts="mcp.example.com") as user:
        session = await user.session(authority.token())
        assert text(await user.call(session, authority.token(), "secret")) == "used"


async def test_a_call_that_requires_more_scopes_gets_a_challenge_for_all_of_them(
    user: TokenClient, authority: Authority
) -> None:
    token = authority.token(scope="mcp")
    session = await user.session(token)
    refused = await user.call(session, token, "write")
    assert refused.status_code == 403
    assert refused.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{METADATA}", error="insufficient_scope", scope="mcp write"'
    )
    assert refused.json() == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {
            "code": -32043,
            "message": "Insufficient scope",
            "data": {"required_scopes": ["mcp", "write"], "granted_scopes": ["mcp"]},
        },
    }
    assert text(await user.call(session, authority.token(scope="mcp write"), "write", 2)) == "written"


async def test_a_call_without_a_session_is_challenged_in_the_same_way(user: TokenClient, authority: Authority) -> None:
    message = call(1, "tools/call", name="write", arguments={}, _meta=META)
    refused = await user.send(message, authority.token(scope="mcp"), **headers("tools/call", "write"))
    assert refused.status_code == 403
    assert 'scope="mcp write"' in refused.headers["www-authenticate"]


async def test_a_scope_challenge_may_come_late(authority: Authority) -> None:
    door = ProtectedServer(auth_of(authority))
    async with serve(door) as user:
        session = await user.session(authority.token())
        late = spawn(user.call(session, authority.token(), "write_late"), "call")
        await within(door.entered.wait())
        door.gate.set()
        assert (
            (await within(late))
            .headers["www-authenticate"]
            .endswith('error="insufficient_scope", scope="write", error_description="Ask for more"')
        )


async def test_a_challenge_of_a_relayed_server_is_not_passed_on(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Admission(auth_of(authority))
    monkeypatch.setattr("server_core.transports.streamable.endpoint.gate_of", lambda settings, app_may_complete: gate)
    door = ProtectedServer(None)
    door.gate.set()
    upstream = new_server(door)

    async def dial() -> Channel:
        return MemoryChannel(upstream)

    relay = Relay(Tap(), dial)
    inner = application(relay, Settings(resource_server_canonical_url=CANONICAL, shutdown_grace=0.5))
    transport = httpx.ASGITransport(inner)
    token = authority.token()
    async with (
        inner.lifespan(),
        httpx.AsyncClient(transport=transport, base_url="https://mcp.example.com", headers=ACCEPT) as client,
    ):
        user = TokenClient(client, Records(relay.tap))
        assert (await user.send(initialize())).status_code == 401
        in_session = await user.call(await user.session(token), token, "write_late")
        message = call(1, "tools/call", name="write_late", arguments={}, _meta=META)
        alone = await user.send(message, token, **headers("tools/call", "write_late"))
    for answer in (in_session, alone):
        assert (answer.status_code, answer.headers.get("www-authenticate")) == (200, None)
        assert '"code":-32043' in answer.text
    await within(relay.wait_closed())


async def test_scopes_cannot_be_checked_where_no_token_is_required() -> None:
    door = ProtectedServer(None)
    async with serve(door, allowed_hosts="mcp.example.com") as user:
        session = await user.session("")
        failed = (await user.call(session, "", "write")).json()["result"]
        assert failed["isError"]
        assert text(await user.call(session, "", "whoami", 2)).endswith(" None")
