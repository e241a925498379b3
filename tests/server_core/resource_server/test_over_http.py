"""A server over HTTP that requires tokens: who is admitted, how others are refused, and who owns sessions and calls."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from server_core import Context, MCPApp
from server_core.errors import ConfigurationError
from server_core.records.tap import Kind, Tap
from server_core.resource_server import (
    AuthenticationError,
    InsufficientScopeError,
    InvalidTokenError,
    JWKSTokenValidator,
    ResourceOwner,
    ResourceServerAuth,
    ResourceServerValidator,
    TokenExpiredError,
    enforce_scopes,
)
from server_core.resource_server.admission import Admission
from server_core.resource_server.owner import ASGI_OWNER_KEY
from server_core.runtime.background import spawn
from server_core.serving.relay import Relay
from server_core.settings import Settings
from server_core.transports.channel import Channel
from server_core.transports.memory import MemoryChannel
from server_core.transports.streamable.endpoint import StreamableHttp as application
from tests.server_core.resource_server.authority import CANONICAL, ISSUER, Authority
from tests.server_core.toolkit import INITIALIZED, Records, Toolkit, call, generation, initialize, new_server
from tests.server_core.transports.http_site import ACCEPT
from tests.server_core.transports.test_http_stateless import META, headers
from tests.waiting import within

pytestmark = pytest.mark.promises("resource server")

METADATA = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"


class ProtectedServer(Toolkit):
    """A server that requires tokens, with tools that return the owner of the token."""

    def __init__(self, auth: ResourceServerValidator | None) -> None:
        super().__init__()
        self.app = app = MCPApp("door", toolkit="", auth=auth)

        @app.tool
        async def whoami(context: Context) -> str:
            """Return the owner of the token."""
            owner = context.resource_owner
            return f"{context.user_id} {sorted(owner.granted_scopes) if owner else owner}"

        @app.tool
        def whoami_on_a_thread(context: Context) -> str:
            """Return the owner of the token, on a thread."""
            return f"{context.resource_owner and context.resource_owner.user_id}"

        @app.tool
        async def write(context: Context) -> str:
            """Do what takes a scope."""
            enforce_scopes(context, ["mcp", "write"])
            return "written"

        @app.tool
        async def write_late(context: Context) -> str:
            """Do what takes a scope, after a while."""
            self.entered.set()
            await self.gate.wait()
            raise InsufficientScopeError(["write"], error_description="Ask for more")

        @app.tool(requires_secrets=["TOKEN"])
        async def secret(context: Context) -> str:
            """Use a secret."""
            return "used"

        @app.tool
        async def relay(context: Context) -> str:
            """Ask the server itself."""
            result = await context.tools.call_raw("whoami", {})
            return json.dumps(result.get("structuredContent") if isinstance(result, dict) else None)


class TokenClient:
    """A client that sends requests with tokens, and the records of the server."""

    def __init__(self, client: httpx.AsyncClient, records: Records) -> None:
        self.client = client
        self.records = records

    async def send(self, data: bytes, token: str = "", **named: str) -> httpx.Response:
        """Send a message, with a token if one is given."""
        sent = {name.replace("_", "-"): value for name, value in named.items() if value}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        return await within(self.client.post("/mcp", content=data, headers=sent))

    async def session(self, token: str) -> str:
        """Shake hands, and return the id of the session."""
        response = await self.send(initialize(), token)
        assert response.status_code == 200, response.text
        session: str = response.headers["mcp-session-id"]
        await self.send(INITIALIZED, token, Mcp_Session_Id=session)
        return session

    async def call(self, session: str, token: str, tool: str, id: int = 1) -> httpx.Response:
        """Call a tool."""
        return await self.send(call(id, "tools/call", name=tool, arguments={}), token, Mcp_Session_Id=session)


def auth_of(authority: Authority, url: str = CANONICAL, **options: Any) -> ResourceServerAuth:
    """Return a validator of its tokens that names the scopes to request."""
    named = {"scopes_supported": ["mcp"], "default_challenge_scopes": ["mcp", "offline_access"], **options}
    return ResourceServerAuth([authority.entry()], url, transport=authority.transport, **named)


@asynccontextmanager
async def serve(door: Toolkit, **settings: Any) -> AsyncIterator[TokenClient]:
    """Serve over HTTP, and yield a client."""
    server = new_server(door)
    inner = application(server, Settings(shutdown_grace=0.5, **settings))
    transport = httpx.ASGITransport(inner)
    async with (
        inner.lifespan(),
        httpx.AsyncClient(transport=transport, base_url="https://mcp.example.com", headers=ACCEPT) as client,
    ):
        yield TokenClient(client, Records(server.tap))


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
async def user(authority: Authority) -> AsyncIterator[TokenClient]:
    async with serve(ProtectedServer(auth_of(authority))) as user:
        yield user


def text(response: httpx.Response) -> str:
    """The text that a tool has returned."""
    content: str = response.json()["result"]["content"][0]["text"]
    return content


# Who is let in.


@pytest.mark.parametrize("header", ["", "Basic YTpi", "Bearer", "Bearer ", "bearer   ", "Token abc", "Bearerabc"])
async def test_a_request_without_a_token_gets_a_challenge_with_metadata_and_scopes(
    user: TokenClient, header: str
) -> None:
    response = await user.send(initialize(), Authorization=header)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{METADATA}", scope="mcp offline_access"'
    )
    assert "Authorization: Bearer" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"exp": 1}, "Token has expired"),
        ({"aud": "https://other.example.com"}, "The token is for another audience"),
        ({"iss": "https://evil.example.com"}, "The token is from another issuer"),
    ],
    ids=str,
)
async def test_an_invalid_token_is_refused_with_the_reason(
    user: TokenClient, authority: Authority, claims: dict[str, Any], reason: str
) -> None:
    response = await user.send(initialize(), authority.token(**claims))
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{METADATA}", error="invalid_token", error_description="{reason}", '
        'scope="mcp offline_access"'
    )


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
async def test_a_valid_token_is_accepted_however_its_scheme_is_written(
    user: TokenClient, authority: Authority, scheme: str
) -> None:
    response = await user.send(initialize(), Authorization=f"{scheme} {authority.token()}")
    assert response.status_code == 200


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
async def test_every_method_requires_a_token(user: TokenClient, authority: Authority, method: str) -> None:
    session = await user.session(authority.token())
    response = await within(user.client.request(method, "/mcp", headers={"Mcp-Session-Id": session}))
    assert response.status_code == 401


async def test_a_page_that_may_send_requests_asks_without_a_token_and_reads_the_challenge(authority: Authority) -> None:
    async with serve(ProtectedServer(auth_of(authority)), allowed_origins="https://app.example.com") as user:
        page = {"Origin": "https://app.example.com"}
        asked = await within(user.client.options("/mcp", headers=page))
        assert asked.status_code == 204
        assert "authorization" in asked.headers["access-control-allow-headers"]
        refused = await user.send(initialize(), Origin=page["Origin"])
        assert refused.status_code == 401
        assert "www-authenticate" in refused.headers["access-control-expose-headers"]


async def test_two_tokens_are_a_bad_request(user: TokenClient, authority: Authority) -> None:
    sent = [*ACCEPT.items(), ("Authorization", f"Bearer {authority.token()}"), ("Authorization", "Bearer x")]
    response = await within(user.client.post("/mcp", content=initialize(), headers=sent))
    assert response.status_code == 400
    assert "www-authenticate" not in response.headers


async def test_a_token_in_the_url_is_ignored(user: TokenClient, authority: Authority) -> None:
    response = await within(user.client.post(f"/mcp?access_token={authority.token()}", content=initialize()))
    assert response.status_code == 401


async def test_nothing_of_a_refused_request_is_served_and_its_token_is_in_no_record(
    user: TokenClient, authority: Authority
) -> None:
    token = authority.token(exp=1)
    await user.send(call(1, "tools/call", name="whoami", arguments={}), token, Mcp_Session_Id="made up")
    assert not user.records.of(Kind.REQUEST)
    (record,) = user.records.of(Kind.HTTP)
    assert json.loads(record.data)["status"] == 401
    assert all(token.encode() not in record.data for record in user.records.all)


async def test_keys_that_cannot_be_fetched_are_no_fault_of_the_token() -> None:
    authority = Authority()
    authority.is_down = True
    async with serve(ProtectedServer(auth_of(authority))) as user:
        response = await user.send(initialize(), authority.token())
        assert (response.status_code, response.headers["retry-after"]) == (503, "5")
        assert "www-authenticate" not in response.headers


async def test_a_rotated_key_is_fetched_without_a_restart() -> None:
    authority = Authority()
    async with serve(ProtectedServer(auth_of(authority))) as user:
        authority.rotate("second")
        assert (await user.send(initialize(), authority.token())).status_code == 200


# What is published.


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])
async def test_the_metadata_is_public_and_names_the_authorization_server(user: TokenClient, path: str) -> None:
    response = await within(user.client.get(path, headers={"Origin": "https://anybody.example.com"}))
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {
        "resource": CANONICAL,
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["mcp"],
    }
    asked = await within(user.client.options(path))
    assert (asked.status_code, asked.headers["access-control-allow-headers"]) == (204, "*"), "pages send their version"
    assert (await within(user.client.post(path))).status_code == 405


async def test_the_server_is_no_authorization_server_itself(user: TokenClient) -> None:
    assert (await within(user.client.get("/.well-known/oauth-authorization-server"))).status_code == 404


async def test_the_metadata_is_served_wherever_the_application_is_mounted(authority: Authority) -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    auth = ResourceServerAuth(
        [authority.entry()],
        "https://mcp.example.com/tools/mcp",
        scopes_supported=[],
        default_challenge_scopes=[],
        transport=authority.transport,
    )
    inner = application(new_server(ProtectedServer(auth)), Settings(shutdown_grace=0.5))
    outer = Starlette(routes=[Mount("/tools", inner), Mount("/.well-known", inner)], lifespan=inner.lifespan)
    transport = httpx.ASGITransport(outer)
    async with (
        inner.lifespan(),
        httpx.AsyncClient(transport=transport, base_url="https://mcp.example.com", headers=ACCEPT) as client,
    ):
        refused = await within(client.post("/tools/mcp", content=initialize()))
        address = refused.headers["www-authenticate"].split('"')[1]
        assert address == "https://mcp.example.com/.well-known/oauth-protected-resource/tools/mcp"
        assert (await within(client.get(address))).json()["resource"] == "https://mcp.example.com/tools/mcp"
        token = authority.token(aud="https://mcp.example.com/tools/mcp")
        sent = {"Authorization": f"Bearer {token}"}
        assert (await within(client.post("/tools/mcp", content=initialize(), headers=sent))).status_code == 200


async def test_the_metadata_is_served_under_a_path_with_any_characters(authority: Authority) -> None:
    url = "https://mcp.example.com/caf%C3%A9%20tools/mcp"
    auth = ResourceServerAuth([authority.entry()], url, scopes_supported=[], default_challenge_scopes=[])
    async with serve(ProtectedServer(auth)) as user:
        address = (await user.send(initialize())).headers["www-authenticate"].split('"')[1]
        assert (await within(user.client.get(address))).json()["resource"] == url


async def test_the_host_of_the_canonical_url_is_accepted_and_others_are_not(authority: Authority) -> None:
    async with serve(ProtectedServer(auth_of(authority))) as user:
        elsewhere = {"Host": "evil.example.com", "Authorization": f"Bearer {authority.token()}"}
        for path in ("/mcp", "/.well-known/oauth-protected-resource"):
            refused = await within(user.client.request("POST", path, headers=elsewhere, content=initialize()))
            assert refused.status_code == 403


async def test_that_host_is_accepted_as_long_as_the_server_requires_tokens(authority: Authority) -> None:
    door = ProtectedServer(auth_of(authority))
    server = new_server(door)
    inner = application(server, Settings(shutdown_grace=0.5))
    transport = httpx.ASGITransport(inner)
    async with httpx.AsyncClient(transport=transport, base_url="https://mcp.example.com", headers=ACCEPT) as client:
        asked = [(await within(client.post("/mcp", content=initialize()))).status_code]
        elsewhere = auth_of(authority, url="https://other.example.com/mcp")
        for app in (MCPApp("door"), door.app, MCPApp("door", auth=elsewhere)):
            server.swap(generation(door.catalog(), app))
            asked.append((await within(client.post("/mcp", content=initialize()))).status_code)
    inner.close()
    assert asked == [401, 403, 401, 403]


# Whose a session, and a call, is.


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


# Scopes.


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


async def test_scopes_cannot_be_checked_where_no_token_was_asked_for() -> None:
    door = ProtectedServer(None)
    async with serve(door, allowed_hosts="mcp.example.com") as user:
        session = await user.session("")
        failed = (await user.call(session, "", "write")).json()["result"]
        assert failed["isError"]
        assert text(await user.call(session, "", "whoami", 2)).endswith(" None")


# Checks of an author's own.


class Keys(ResourceServerValidator):
    """Takes keys that were handed out."""

    async def validate_token(self, token: str) -> ResourceOwner:
        match token:
            case "key-of-ada":
                return ResourceOwner("ada", granted_scopes=frozenset({"mcp"}))
            case "old":
                raise TokenExpiredError('It "expired"\r\nX-Evil: 1')
            case "broken":
                raise RuntimeError("the database is down")
            case "half a character":
                return ResourceOwner("a\ud800")
            case "list":
                return ResourceOwner("ada", granted_scopes=["mcp", "write"])  # type: ignore[arg-type]
            case "one text":
                return ResourceOwner("ada", granted_scopes="mcp")  # type: ignore[arg-type]
            case "number":
                return ResourceOwner(7)  # type: ignore[arg-type]  # What an author gets wrong.
            case "leaving":
                raise SystemExit(3)
            case "nobody":
                return ResourceOwner("")
            case "wrong":
                return "ada"  # type: ignore[return-value]  # What an author gets wrong.
        raise AuthenticationError("unknown")


async def test_an_author_checks_tokens_in_their_own_way() -> None:
    async with serve(ProtectedServer(Keys()), allowed_hosts="mcp.example.com") as user:
        session = await user.session("key-of-ada")
        assert text(await user.call(session, "key-of-ada", "whoami")) == "ada ['mcp']"
        refused = await user.send(initialize(), "other")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert text(await user.call(session, "list", "write")) == "written", "a list of scopes will do"
        assert (await within(user.client.get("/.well-known/oauth-protected-resource"))).status_code == 404


async def test_an_author_names_users_by_another_claim(authority: Authority) -> None:
    class ByEmail(ResourceServerAuth):
        async def validate_token(self, token: str) -> ResourceOwner:
            owner = await super().validate_token(token)
            owner.user_id = owner.email or owner.user_id
            return owner

    auth = ByEmail(
        [authority.entry()],
        CANONICAL,
        scopes_supported=[],
        default_challenge_scopes=[],
        transport=authority.transport,
    )
    async with serve(ProtectedServer(auth)) as user:
        token = authority.token(email="ada@example.com")
        assert text(await user.call(await user.session(token), token, "whoami")) == "ada@example.com ['mcp']"


async def test_messages_of_a_custom_validator_cannot_forge_a_header() -> None:
    async with serve(ProtectedServer(Keys()), allowed_hosts="mcp.example.com") as user:
        refused = await user.send(initialize(), "old")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer error="invalid_token"')
        assert "x-evil" not in refused.headers


@pytest.mark.parametrize("token", ["broken", "leaving", "nobody", "wrong", "half a character", "number", "one text"])
async def test_a_failing_check_admits_no_client_and_the_server_continues(token: str) -> None:
    async with serve(ProtectedServer(Keys()), allowed_hosts="mcp.example.com") as user:
        refused = await user.send(initialize(), token)
        assert refused.status_code == 500
        assert "database" not in refused.text
        assert (await user.send(initialize(), "key-of-ada")).status_code == 200


class Careless(ResourceServerValidator):
    """Has the token in the text of its exceptions."""

    async def validate_token(self, token: str) -> ResourceOwner:
        if token.startswith("raised"):
            raise InvalidTokenError(f"Unknown key {token}")
        return {}[token]  # type: ignore[no-any-return]


@pytest.mark.parametrize(("token", "status"), [("raised-7f3a", 401), ("looked-up-7f3a", 500), ("l'7f3a\\x", 500)])
async def test_messages_of_a_custom_validator_are_logged_without_the_token(
    token: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(ProtectedServer(Careless()), allowed_hosts="mcp.example.com") as user:
        refused = await user.send(initialize(), token)
        assert refused.status_code == status
        traces = [
            refused.text,
            str(refused.headers),
            caplog.text,
            *(str(record.data) for record in user.records.all),
        ]
    assert not [trace for trace in traces if "7f3a" in trace]
    assert "<token>" in (refused.text if status == 401 else caplog.text)


def test_required_scopes_must_be_a_list() -> None:
    request = {ASGI_OWNER_KEY: ResourceOwner("ada", granted_scopes=frozenset("mcp"))}
    for required in ("mcp", ["m c"], [""]):
        with pytest.raises(ValueError, match=r"not the string|is not a scope"):
            enforce_scopes(request, required)
        with pytest.raises(ValueError, match=r"not the string|is not a scope"):
            InsufficientScopeError(required)


async def test_keys_without_metadata_challenge_without_a_url(authority: Authority) -> None:
    auth = JWKSTokenValidator(authority.jwks_uri, ISSUER, CANONICAL, "ES256", transport=authority.transport)
    async with serve(ProtectedServer(auth), allowed_hosts="mcp.example.com") as user:
        assert (await user.send(initialize())).headers["www-authenticate"] == "Bearer"
        assert (await user.send(initialize(), authority.token())).status_code == 200


def test_an_invalid_validator_is_refused_when_the_app_is_created() -> None:
    with pytest.raises(TypeError, match="must be a token validator such as ResourceServerAuth"):
        MCPApp("door", auth="secret")  # type: ignore[arg-type]  # What an author gets wrong.


def test_a_url_of_an_author_is_checked_as_well() -> None:
    class Elsewhere(Keys):
        canonical_url = "http://mcp.example.com/mcp"

        def get_resource_metadata(self) -> dict[str, Any]:
            return {"resource": self.canonical_url}

    with pytest.raises(ValueError, match="must be https"):
        Admission(Elsewhere())


# By the settings alone.

SERVERS = json.dumps([{"authorizationServerUrl": ISSUER, "issuer": ISSUER, "jwksUri": f"{ISSUER}/jwks"}])


async def test_the_settings_alone_ask_for_tokens() -> None:
    async with serve(
        ProtectedServer(None),
        resource_server_canonical_url=CANONICAL,
        resource_server_authorization_servers=SERVERS,
        resource_server_scopes_supported="a  b",
        resource_server_default_challenge_scopes="c d",
    ) as user:
        refused = await user.send(initialize())
        assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}", scope="c d"'
        published = (await within(user.client.get("/.well-known/oauth-protected-resource"))).json()
        assert published["scopes_supported"] == ["a", "b"]


async def test_arguments_of_an_app_override_the_settings(authority: Authority) -> None:
    async with serve(
        ProtectedServer(auth_of(authority)),
        resource_server_canonical_url="https://other.example.com/mcp",
        resource_server_authorization_servers=SERVERS,
    ) as user:
        assert (await user.send(initialize(), authority.token())).status_code == 200


def test_an_invalid_setting_is_reported_by_name_before_serving() -> None:
    for url, servers, message in (
        (CANONICAL, "", "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is missing"),
        ("", SERVERS, "MCP_RESOURCE_SERVER_CANONICAL_URL is missing"),
        ("http://mcp.example.com", SERVERS, "MCP_RESOURCE_SERVER_CANONICAL_URL is invalid: .*must be https"),
        (CANONICAL, "nothing", "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is invalid: Invalid JSON"),
        (CANONICAL, "[]", "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is missing"),
        (CANONICAL, "{}", "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is invalid"),
        (CANONICAL, '[{"issuer": "https://a"}]', "AUTHORIZATION_SERVERS is invalid: 0.authorizationServerUrl"),
        (CANONICAL, SERVERS.replace("jwksUri", "jwks"), "AUTHORIZATION_SERVERS is invalid: 0.jwks"),
        (CANONICAL, SERVERS.replace("https", "http"), "AUTHORIZATION_SERVERS is invalid: .*it must be https"),
    ):
        settings = Settings(resource_server_canonical_url=url, resource_server_authorization_servers=servers)
        with pytest.raises(ConfigurationError, match=message):
            application(new_server(ProtectedServer(None)), settings)


@pytest.mark.parametrize(("url", "servers"), [(CANONICAL, ""), ("", SERVERS)])
async def test_an_app_may_complete_partial_settings(authority: Authority, url: str, servers: str) -> None:
    half = {"resource_server_canonical_url": url, "resource_server_authorization_servers": servers}
    async with serve(ProtectedServer(auth_of(authority)), **half) as user:
        assert (await user.send(initialize(), authority.token())).status_code == 200
        assert (await user.send(initialize())).status_code == 401


async def test_partial_settings_refuse_all_requests_until_an_app_completes_them(authority: Authority) -> None:
    door = ProtectedServer(auth_of(authority))
    server = new_server(door, loaded=False)
    inner = application(server, Settings(resource_server_canonical_url=CANONICAL, shutdown_grace=0.5))
    server.swap(generation(door.catalog(), MCPApp("another")))
    transport = httpx.ASGITransport(inner)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=ACCEPT) as client:
        refused = await within(client.post("/mcp", content=initialize()))
    inner.close()
    assert refused.status_code == 503
    assert "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS is missing" in refused.text


# Files that are loaded, and that cannot be.


async def test_no_client_is_admitted_before_the_rules_are_loaded(authority: Authority) -> None:
    door = ProtectedServer(auth_of(authority))
    server = new_server(door, loaded=False)
    inner = application(server, Settings(shutdown_grace=0.5))
    transport = httpx.ASGITransport(inner)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=ACCEPT) as client:
        early = spawn(client.post("/mcp", content=initialize()), "early")
        await asyncio.sleep(0)
        server.swap(generation(door.catalog(), door.app))
        assert (await within(early)).status_code == 401
    inner.close()
