"""The ASGI application inside other applications: paths, lifespan, host names, and authenticated users."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, BaseUser, SimpleUser
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection
from starlette.routing import Mount

from server_core.protocol.envelope import CLIENT_CAPABILITIES
from server_core.protocol.headers import normalise_origins
from server_core.runtime.background import spawn
from server_core.settings import Settings
from server_core.transports.streamable.endpoint import StreamableHttp
from tests.conversations.asgi import running
from tests.server_core.toolkit import INITIALIZED, Toolkit, call, initialize, new_server
from tests.server_core.transports.http_site import ACCEPT
from tests.server_core.transports.test_http_stateless import META, headers
from tests.waiting import within


def application(toolkit: Toolkit | None = None, **settings: Any) -> StreamableHttp:
    return StreamableHttp(new_server(toolkit or Toolkit()), Settings(shutdown_grace=0.5, **settings))


@asynccontextmanager
async def client_of(outer: Any, base_url: str = "http://localhost") -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(outer), base_url=base_url, headers=ACCEPT) as client:
        yield client


async def opened(client: httpx.AsyncClient, path: str, **headers: str) -> dict[str, str]:
    """Shake hands, and return the headers of the session."""
    response = await within(client.post(path, content=initialize(), headers=headers))
    session = {**headers, "Mcp-Session-Id": response.headers["mcp-session-id"]}
    assert (await within(client.post(path, content=INITIALIZED, headers=session))).status_code == 202
    return session


@pytest.mark.parametrize("prefix", ["", "/tools", "/a/b"])
async def test_it_is_served_under_any_mount_path(prefix: str) -> None:
    outer = Starlette()
    outer.mount(prefix, application())
    async with client_of(outer) as client:
        session = await opened(client, f"{prefix}/mcp")
        assert (
            await within(client.post(f"{prefix}/mcp/", content=call(1, "ping"), headers=session))
        ).status_code == 200
        assert (await within(client.get(f"{prefix}/elsewhere"))).status_code == 404


async def test_the_path_of_a_proxy_in_front_counts_as_where_it_is_mounted() -> None:
    async with running(application()) as address, httpx.AsyncClient(trust_env=False, headers=ACCEPT) as client:
        await opened(client, f"{address}/mcp")
    behind_a_proxy = httpx.ASGITransport(application(), root_path="/api")
    async with httpx.AsyncClient(transport=behind_a_proxy, base_url="http://localhost", headers=ACCEPT) as client:
        await opened(client, "/api/mcp")
        await opened(client, "/mcp")
        assert (await within(client.post("/apiary/mcp", content=initialize()))).status_code == 404


async def test_the_lifespan_of_the_outer_application_ends_calls_and_sessions() -> None:
    toolkit = Toolkit()
    server = new_server(toolkit)
    inner = StreamableHttp(server, Settings(shutdown_grace=5))
    outer = Starlette(routes=[Mount("/tools", inner)], lifespan=inner.lifespan)
    async with running(outer) as address, httpx.AsyncClient(trust_env=False, headers=ACCEPT) as client:
        session = await opened(client, f"{address}/tools/mcp")
        waiting = spawn(
            client.post(f"{address}/tools/mcp", content=call(1, "tools/call", name="wait"), headers=session), "wait"
        )
        await within(toolkit.entered.wait())
        toolkit.gate.set()
        assert (await within(waiting)).status_code == 200
    assert server.sessions["s1"].describe()["closed"]


async def test_its_own_lifespan_ends_its_sessions() -> None:
    server = new_server(Toolkit())
    async with (
        running(StreamableHttp(server, Settings())) as address,
        httpx.AsyncClient(trust_env=False, headers=ACCEPT) as client,
    ):
        await opened(client, f"{address}/mcp")
    assert server.sessions["s1"].describe()["closed"]


async def test_it_serves_when_its_lifespan_is_not_run() -> None:
    async with client_of(Starlette(routes=[Mount("/", application())])) as client:
        await opened(client, "/mcp")


# Names.


@pytest.mark.parametrize(
    ("host", "status"),
    [("tools.example.org", 200), ("TOOLS.example.org:8443", 200), ("b.example.org", 200), ("c", 403)],
)
async def test_names_can_be_allowed(host: str, status: int) -> None:
    async with client_of(application(allowed_hosts=" tools.example.org, b.example.org,")) as client:
        for headers in ({"Host": host}, {"Host": host, "Origin": f"https://{host}"}):
            response = await within(client.post("/mcp", content=initialize(), headers=headers))
            assert response.status_code == status


async def test_no_name_but_loopback_is_allowed_by_default() -> None:
    async with client_of(application()) as client:
        for headers in ({"Host": "example.org"}, {"Origin": "http://example.org"}):
            response = await within(client.post("/mcp", content=initialize(), headers=headers))
            assert response.status_code == 403


# Users.


class Known(BaseUser):
    """A user with an identity."""

    def __init__(self, identity: str) -> None:
        self._identity = identity

    @property
    def is_authenticated(self) -> bool:
        return True

    @property
    def identity(self) -> str:
        return self._identity


class Backend(AuthenticationBackend):
    """Believe everybody: `id ada` is a user with an identity, `name ada` one with a name alone."""

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser] | None:
        kind, _, name = conn.headers.get("authorization", "").partition(" ")
        if not name:
            return None
        return AuthCredentials(), Known(name) if kind == "id" else SimpleUser(name)


def guarded() -> Starlette:
    guard = Middleware(AuthenticationMiddleware, backend=Backend())
    return Starlette(routes=[Mount("/", application())], middleware=[guard])


@pytest.mark.parametrize("kind", ["id", "name"])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_a_session_belongs_to_one_user(kind: str, method: str) -> None:
    async with client_of(guarded()) as client:
        session = await opened(client, "/mcp", Authorization=f"{kind} ada")
        for other in (f"{kind} bob", ""):
            headers = {**session, "Authorization": other}
            response = await within(client.request(method, "/mcp", content=call(1, "ping"), headers=headers))
            assert response.status_code == 404
        response = await within(client.post("/mcp", content=call(1, "ping"), headers=session))
        assert response.status_code == 200


async def test_the_state_of_a_stateless_call_is_only_for_its_user() -> None:
    meta = {**META, CLIENT_CAPABILITIES: {"elicitation": {}}}
    sent = {name.replace("_", "-"): value for name, value in headers("tools/call", "ask_name").items()}
    async with client_of(guarded()) as client:

        async def ask(user: str, **more: Any) -> dict[str, Any]:
            request = call(1, "tools/call", name="ask_name", _meta=meta, **more)
            response = await within(client.post("/mcp", content=request, headers={**sent, "Authorization": user}))
            body: dict[str, Any] = response.json()
            return body

        first = (await ask("id ada"))["result"]
        [key] = first["inputRequests"]
        given = {"inputResponses": {key: {"action": "decline"}}, "requestState": first["requestState"]}
        assert "error" in await ask("id bob", **given)
        assert (await ask("id ada", **given))["result"]["resultType"] == "complete"


# An app object.


async def test_an_app_object_mounts_and_loads_on_its_first_request() -> None:
    mounted = Toolkit().app.http_app(hosts=["tools.example.org"])
    async with client_of(Starlette(routes=[Mount("/tools", mounted)]), "http://tools.example.org") as client:
        session = await opened(client, "/tools/mcp")
        request = call(1, "tools/call", name="add", arguments={"a": 1, "b": 2})
        response = await within(client.post("/tools/mcp", content=request, headers=session))
        assert response.json()["result"]["structuredContent"] == {"result": 3}


async def test_an_app_object_runs_alone_and_ends_its_calls_with_its_lifespan() -> None:
    toolkit = Toolkit()
    async with running(toolkit.app.http_app()) as address, httpx.AsyncClient(trust_env=False, headers=ACCEPT) as client:
        session = await opened(client, f"{address}/mcp")
        waiting = spawn(
            client.post(f"{address}/mcp", content=call(1, "tools/call", name="wait"), headers=session), "wait"
        )
        await within(toolkit.entered.wait())
        toolkit.gate.set()
        assert (await within(waiting)).status_code == 200


PAGE = "https://app.example.com"


def open_application(*origins: str, **settings: Any) -> StreamableHttp:
    """An app that lets pages from elsewhere in."""
    toolkit = Toolkit()
    toolkit.app.allowed_origins = normalise_origins(origins)
    return application(toolkit, **settings)


@pytest.mark.parametrize("origin", [PAGE, "https://APP.example.com", "http://app.example.com:8443"])
@pytest.mark.parametrize("way", ["app", "settings"])
async def test_a_page_that_the_app_or_the_settings_allow_may_send_requests_and_read_the_answers(
    origin: str, way: str
) -> None:
    allowed = (f"{PAGE}/", "http://app.example.com:8443")
    outer = open_application(*allowed) if way == "app" else open_application(allowed_origins=",".join(allowed))
    async with client_of(outer) as client:
        session = await opened(client, "/mcp", Origin=origin)
        answer = await within(client.post("/mcp", content=call(1, "ping"), headers=session))
        asked = await within(client.options("/mcp", headers={"Origin": origin}))
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert answer.headers["vary"] == "origin"
    assert "mcp-session-id" in answer.headers["access-control-expose-headers"]
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == origin
    assert "authorization" in asked.headers["access-control-allow-headers"]


@pytest.mark.parametrize("origin", ["https://evil.example.com", "http://app.example.com", f"{PAGE}:8443", "null"])
async def test_an_origin_that_is_not_allowed_is_refused_without_a_reason(origin: str) -> None:
    async with client_of(open_application(PAGE)) as client:
        answer = await within(client.post("/mcp", content=initialize(), headers={"Origin": origin}))
        asked = await within(client.options("/mcp", headers={"Origin": origin}))
    assert (answer.status_code, asked.status_code) == (403, 403)
    assert "access-control-allow-origin" not in answer.headers


async def test_a_star_allows_every_page_and_nothing_allows_only_those_from_here() -> None:
    async with client_of(open_application("*")) as client:
        await opened(client, "/mcp", Origin="https://anywhere.example.com")
    async with client_of(open_application()) as client:
        session = await opened(client, "/mcp", Origin="http://localhost:3000")
        answer = await within(client.post("/mcp", content=call(1, "ping"), headers=session))
        asked = await within(client.options("/mcp", headers={"Origin": "http://localhost:3000"}))
    assert "access-control-allow-origin" not in answer.headers
    assert asked.status_code == 405


async def test_an_app_knows_what_serves_it() -> None:
    toolkit = Toolkit()
    assert toolkit.app.server is None
    server = new_server(toolkit)
    assert toolkit.app.server is server
