"""Information about a call: ids, the user, secrets, metadata of the caller, its session and server."""

import asyncio
from typing import Any

import pytest

from server_core import Context, ContextError, MCPApp
from server_core.auth.requirement import Authorization
from server_core.execution.context.facts import Secret, find_value, metadata_entries, user_of
from server_core.runtime.background import spawn
from server_core.settings import Settings
from server_core.transports.http_client.http_client import HttpChannel
from server_core.transports.http_server import serve_http
from tests.server_core.execution.app_client import LEGACY, MODERN, Client
from tests.server_core.ports import FakePort
from tests.waiting import within
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("context")


def describing_app() -> MCPApp:
    """Return an app with a tool that returns the facts of its context."""
    app = MCPApp("describing", "1.2.3", title="The describer", instructions="Ask.", toolkit="")

    @app.tool
    async def describe(context: Context) -> dict[str, Any]:
        """Return the facts."""
        server, session = context.server, context.session
        assert server is not None
        assert session.session_id == context.session_id
        return {
            "request": context.request_id,
            "session": context.session_id,
            "user": context.user_id,
            "server": [server.name, server.version, server.title, server.instructions],
            "client": [session.client_info.name, session.protocol_version],
            "can": session.client_capabilities.sampling,
            "cannot": session.client_capabilities.experimental,
            "metadata": [[item.key, item.value] for item in context.metadata],
            "log_level": context.log_level,
        }

    return app


async def facts_from(client: Client, **params: Any) -> dict[str, Any]:
    response = await client.request("tools/call", name="describe", **params)
    facts: dict[str, Any] = response["result"]["structuredContent"]
    return facts


async def test_client_capabilities_are_where_servers_written_for_arcade_expect_them() -> None:
    app = MCPApp("looking", toolkit="")

    @app.tool
    async def look(context: Context) -> dict[str, Any]:
        """Look."""
        capabilities = getattr(context._session, "_client_capabilities", None)
        return {"elicitation": None if capabilities is None else capabilities.elicitation}

    can = {"elicitation": {"form": {}, "url": {}}}
    answer = await Client(app, capabilities=can).request("tools/call", name="look")
    assert answer["result"]["structuredContent"] == can


async def test_a_call_has_its_request_its_session_and_its_server() -> None:
    facts = await facts_from(Client(describing_app(), transport="http", id="the-session"))
    assert facts == {
        "request": 1,
        "session": "the-session",
        "user": "the-session",
        "server": ["describing", "1.2.3", "The describer", "Ask."],
        "client": ["tester", "2025-11-25"],
        "can": {"tools": {}},
        "cannot": None,
        "metadata": [],
        "log_level": "debug",
    }


async def test_a_request_without_a_session_has_no_session_id() -> None:
    facts = await facts_from(Client(describing_app(), MODERN, transport="http"))
    assert (facts["session"], facts["user"], facts["log_level"]) == (None, None, None)


async def test_sessions_of_transports_without_session_ids_have_unique_ids() -> None:
    item, other = await facts_from(Client(describing_app())), await facts_from(Client(describing_app()))
    assert item["session"]
    assert item["session"] != other["session"]


async def test_over_http_the_session_id_is_that_of_the_header() -> None:
    server = Client(describing_app()).server
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = spawn(serve_http(server, "127.0.0.1", 0, Settings(shutdown_grace=0.1), url.set_result), "serve")
    channel = HttpChannel(await within(url))
    session = await within(ClientSession.open(channel))
    try:
        result = await within(session.call_tool("describe", {}).result())
        assert channel.session_id
        assert result["structuredContent"]["session"] == channel.session_id
    finally:
        await within(session.close())
        serving.cancel()
        await asyncio.wait([serving])


def port(principal: str = "", *, is_local: bool = False, session_id: str | None = "the-session") -> FakePort:
    port = FakePort()
    client = port.client
    client.principal, client.is_local, client.session_id = principal, is_local, session_id
    return port


@pytest.mark.parametrize(
    ("fake_port", "named", "expected"),
    [
        (port("ada", is_local=True), "settings", "ada"),
        (port(is_local=True), "settings", "settings"),
        (port(is_local=True), "", "the-account"),
        (port(), "", "the-session"),
        (port(session_id=None), "", None),
    ],
)
def test_the_user_is_the_authenticated_user_else_that_of_the_settings_the_machine_or_the_session(
    fake_port: FakePort, named: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server_core.execution.context.facts._account", lambda: "the-account")
    assert user_of(fake_port.client, named) == expected


def test_an_account_of_the_machine_without_a_name_is_not_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from server_core.execution.context import facts

    def fail() -> str:
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr("getpass.getuser", fail)
    facts._account.cache_clear()
    try:
        assert user_of(port(is_local=True).client, "") == "the-session"
    finally:
        facts._account.cache_clear()


def test_secrets_have_keys_and_values_which_their_repr_omits() -> None:
    context = Context(FakePort(), 1, None, {"TOKEN": "abc123"})
    assert context.secrets == [Secret("TOKEN", "abc123")]
    assert context.get_secret("TOKEN") == context.get_secret("token") == "abc123"
    assert "abc123" not in repr(context.secrets)


@pytest.mark.parametrize("kind", [ValueError, ContextError])
def test_a_missing_value_raises_an_error_of_both_classes_that_authors_catch(kind: type[Exception]) -> None:
    context = Context(FakePort(), 1, None, {"TOKEN": "abc123"})
    with pytest.raises(kind, match=r"Secret 'NAME' not found in context\..*requires_secrets"):
        context.get_secret("NAME")
    with pytest.raises(kind, match=r"Metadata 'name' not found in context\."):
        context.get_metadata("name")


async def test_the_metadata_comes_from_the_meta_of_the_request() -> None:
    meta = {"client_id": "c-1", "retries": 3, "progressToken": "t", "io.example/x": "y", "nested": {"a": 1}}
    facts = await facts_from(Client(describing_app()), _meta=meta)
    assert facts["metadata"] == [["client_id", "c-1"], ["retries", "3"]]
    context = Context(FakePort(), 1, meta=meta)
    assert context.get_metadata("Client_ID") == "c-1"


def test_without_metadata_the_list_is_empty() -> None:
    assert metadata_entries({}) == []


def test_an_exact_name_has_precedence() -> None:
    assert find_value([("KEY", 1), ("key", 2)], "key") == 2
    assert find_value([("KEY", 1)], "Key") == 1
    assert find_value([], "key") is None


def test_the_token_is_empty_for_a_tool_without_an_account() -> None:
    context = Context(FakePort(), 1)
    assert (context.authorization, context.get_auth_token_or_empty()) == (None, "")
    context.authorization = Authorization("token-1", {"sub": "ada"})
    assert context.get_auth_token_or_empty() == "token-1"
    assert Context(FakePort(), 2).authorization is None


def test_the_server_of_a_call_without_a_server_is_none() -> None:
    assert Context(FakePort(), 1).server is None


async def test_the_calls_of_many_clients_at_once_do_not_see_each_other() -> None:
    from server_core import current_context

    app = MCPApp("many", toolkit="")
    everybody_is_in = asyncio.Barrier(8)

    @app.tool
    async def who(name: str, context: Context) -> list[Any]:
        """Return whose call this is, after all have begun."""
        await everybody_is_in.wait()
        inner = await context.tools.call_raw("deeper")
        current = current_context.get()
        assert current is context
        return [name, current.session_id, current.request_id, inner.content[0].text]

    @app.tool
    def deeper(context: Context) -> str:
        """On a thread."""
        current = current_context.get()
        assert current is context
        return str(context.session_id)

    clients = [Client(app, LEGACY) for _ in range(4)]
    arguments = [{"name": str(turn)} for turn in range(2)]
    ids = [
        (client, client.begin("tools/call", {"name": "who", "arguments": argument}))
        for argument in arguments
        for client in clients
    ]
    answers = await asyncio.gather(*(answer_of(client, id) for client, id in ids))
    for (client, id), (n, answer) in zip(ids, enumerate(answers), strict=True):
        assert answer == [str(n // 4), client.session.client.session_id, id, client.session.client.session_id]


async def answer_of(client: Client, id: int) -> list[Any]:
    """Return the result of the call with this id."""
    from tests.waiting import until

    await until(lambda: any(message.get("id") == id and "result" in message for message in client.outlet.sent))
    (answer,) = [message for message in client.outlet.sent if message.get("id") == id and "result" in message]
    values: list[Any] = answer["result"]["structuredContent"]["result"]
    return values
