"""A context that is created by hand, for tests of functions: without a client and a server."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from server_core import Context, ToolContext, tool
from server_core.auth import Authorization
from server_core.errors import ContextError, MissingCapability
from server_core.execution.context.facts import Fact, Secret
from tests.server_core.ports import tool_of

pytestmark = pytest.mark.promises("context")


def test_a_function_is_called_with_a_context_made_by_hand() -> None:
    @tool(requires_secrets=["API_KEY"], requires_metadata=["team"])
    def send(context: ToolContext, text: str) -> str:
        """Send."""
        key, team = context.get_secret("api_key"), context.get_metadata("Team")
        return f"{text} {key} {team} {context.get_auth_token_or_empty()} {context.user_id}"

    context = ToolContext(
        authorization=Authorization(token="a-token"),
        secrets=[Secret(key="API_KEY", value="a-key")],
        metadata=[Fact(key="team", value="blue")],
        user_id="ada",
    )
    assert send(context, "hi") == "hi a-key blue a-token ada"
    assert isinstance(context, Context)


def test_a_context_without_facts_is_empty() -> None:
    context = ToolContext()
    assert (context.secrets, context.metadata, context.authorization, context.user_id) == ([], [], None, None)
    assert (context.session_id, context.server, context.get_auth_token_or_empty()) == (None, None, "")
    with pytest.raises(ValueError, match="Secret 'x' not found in context"):
        context.get_secret("x")
    with pytest.raises(ValueError, match="Metadata 'x' not found in context"):
        context.get_metadata("x")


def test_the_token_of_an_account_without_a_token_is_empty() -> None:
    context = ToolContext(authorization=Authorization(token=None))  # type: ignore[arg-type]
    assert context.get_auth_token_or_empty() == ""


def test_a_context_can_be_created_from_json_objects() -> None:
    context = ToolContext(
        authorization={"token": "a-token", "user_info": {"sub": "ada"}, "provider": "other"},
        secrets=[{"key": "API_KEY", "value": "a-key"}],
        metadata=[{"key": "team", "value": "blue"}],
    )
    assert context.authorization == Authorization("a-token", {"sub": "ada"})
    assert (context.get_secret("API_KEY"), context.get_metadata("team")) == ("a-key", "blue")
    assert ToolContext(authorization={}).get_auth_token_or_empty() == ""


def test_the_facts_of_a_context_can_be_set_later() -> None:
    context = ToolContext(authorization=Authorization("a-token"), secrets=[Secret("API_KEY", "a-key")])
    assert context.authorization is not None
    context.authorization.user_info = {"sub": "ada"}
    context.secrets = []
    context.secrets.append(Secret("OTHER_KEY", "one"))
    assert context.get_secret("other_key") == "one"
    context.set_secret("OTHER_KEY", "two")
    context.metadata.append(Fact("team", "blue"))
    assert context.get_metadata("team") == "blue"
    context.metadata = [Fact("team", "red")]
    context.user_id = "ada"
    assert context.secrets == [Secret("OTHER_KEY", "two")]
    assert (context.metadata, context.get_metadata("team")) == ([Fact("team", "red")], "red")
    assert (context.user_id, context.authorization.user_info) == ("ada", {"sub": "ada"})
    assert context.secret_values == {"OTHER_KEY": "two", "token": "a-token"}
    assert (len(context.meta), "team" in context.meta) == (1, True)


async def test_log_messages_and_progress_without_a_client_are_dropped() -> None:
    context = ToolContext()
    await context.log.info("done", logger_name="test", extra={"count": 1})
    await context.progress.report(0.5, total=1.0, message="half")
    assert await context.become_task() is False


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda context: context.sampling.create_message("hi"), MissingCapability),
        (lambda context: context.ui.elicit("Who?", {"type": "object", "properties": {}}), MissingCapability),
        (lambda context: context.roots.list(), MissingCapability),
        (lambda context: context.tools.call_raw("other"), ContextError),
        (lambda context: context.resources.read("notes://today"), ContextError),
        (lambda context: context.prompts.list(), ContextError),
        (lambda context: context.request("ping", {}), ContextError),
    ],
)
async def test_requests_without_a_client_or_a_server_raise_an_error_at_once(
    ask: Callable[[ToolContext], Awaitable[Any]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        await ask(ToolContext())


def test_a_tool_may_declare_a_tool_context_which_clients_do_not_see() -> None:
    def send(context: ToolContext, text: str) -> str:
        """Send."""
        return text

    built = tool_of(send)
    assert (built.context_parameter, list(built.input_schema["properties"])) == ("context", ["text"])
