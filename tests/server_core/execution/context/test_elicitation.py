"""Elicitation: the requests on the wire, their results, and clients that do not support them."""

import asyncio
import datetime
import enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from server_core import Context, ContextError, MCPApp, RemoteError
from server_core.errors import ElicitationModeNotSupportedError, ElicitationNotSupportedError, MissingCapability
from server_core.protocol.revisions import REVISION_2025_06_18, REVISION_2025_11_25
from tests.server_core.execution.app_client import LEGACY, MODERN, Client, result_of
from tests.server_core.ports import FakePort, text_of
from tests.waiting import until

pytestmark = pytest.mark.promises("context")


def context_of(port: FakePort) -> Context:
    return Context(port, 1)


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Order(BaseModel):
    name: Annotated[str, Field(min_length=1, description="Who orders")]
    size: Size = Size.SMALL
    day: datetime.date | None = None
    extra: list[Literal["sugar", "milk"]] = []


async def test_a_form_has_the_schema_of_a_model_and_its_answer_is_an_instance() -> None:
    port = FakePort({"elicitation": {}}, {"action": "accept", "content": {"name": "Ada", "size": "large"}})
    result = await context_of(port).ui.elicit("Your order?", Order)
    assert (result.action, result.accepted) == ("accept", True)
    assert result.content == {"name": "Ada", "size": "large"}
    assert result.value == Order(name="Ada", size=Size.LARGE)
    assert port.asked == [
        (
            "elicitation/create",
            {
                "mode": "form",
                "message": "Your order?",
                "requestedSchema": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "minLength": 1, "description": "Who orders"},
                        "size": {"type": "string", "enum": ["small", "large"], "title": "Size", "default": "small"},
                        "day": {"type": "string", "format": "date"},
                        "extra": {
                            "type": "array",
                            "items": {"type": "string", "enum": ["sugar", "milk"]},
                            "default": [],
                        },
                    },
                    "required": ["name"],
                },
            },
        )
    ]


async def test_no_mode_is_sent_in_a_revision_without_modes() -> None:
    port = FakePort({"elicitation": {}}, {"action": "cancel"}, REVISION_2025_06_18)
    assert (await context_of(port).ui.elicit("ok?")).action == "cancel"
    assert port.asked[0][1] == {"message": "ok?", "requestedSchema": {"type": "object", "properties": {}}}


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_user_may_refuse(action: str) -> None:
    port = FakePort({"elicitation": {}}, {"action": action, "content": {"name": "left over"}})
    result = await context_of(port).ui.elicit("?", Order)
    assert (result.action, result.content, result.value, result.accepted) == (action, None, None, False)


async def test_an_answer_that_does_not_match_the_model_is_an_error_that_names_the_fields() -> None:
    port = FakePort({"elicitation": {}}, {"action": "accept", "content": {"size": "huge"}})
    with pytest.raises(ContextError, match="does not match the form: check name, size"):
        await context_of(port).ui.elicit("?", Order)


async def test_an_unknown_action_is_an_error() -> None:
    port = FakePort({"elicitation": {}}, {"action": "maybe"})
    with pytest.raises(ContextError, match="unknown action 'maybe'"):
        await context_of(port).ui.elicit("?")


async def test_a_url_is_requested_with_its_own_id() -> None:
    port = FakePort({"elicitation": {"url": {}}}, {"action": "accept"})
    result = await context_of(port).ui.elicit("Sign in", mode="url", url="https://example.com/in")
    assert result.accepted
    params = port.asked[0][1]
    assert {**params, "elicitationId": ""} == {
        "mode": "url",
        "message": "Sign in",
        "url": "https://example.com/in",
        "elicitationId": "",
    }
    assert params["elicitationId"]


@pytest.mark.parametrize(
    ("capabilities", "revision", "mode", "message"),
    [
        ({}, REVISION_2025_11_25, "form", "did not declare the elicitation capability"),
        ({"elicitation": {}}, REVISION_2025_11_25, "url", "cannot ask in url mode: it declared only form"),
        ({"elicitation": {"url": {}}}, REVISION_2025_11_25, "form", "cannot ask in form mode: it declared only url"),
        ({"elicitation": {"form": {}, "url": {}}}, REVISION_2025_06_18, "url", "cannot ask in url mode"),
    ],
)
async def test_nothing_is_sent_to_a_client_without_elicitation(
    capabilities: dict[str, Any], revision: Any, mode: Any, message: str
) -> None:
    port = FakePort(capabilities, revision=revision)
    with pytest.raises(ContextError, match=message):
        await context_of(port).ui.elicit("?", mode=mode, url="https://a.example" if mode == "url" else None)
    assert port.asked == []


async def test_a_form_that_clients_cannot_show_is_refused_before_it_is_sent() -> None:
    for schema, message in (
        ({"type": "string"}, 'must have the type "object"'),
        ({"type": "object", "properties": []}, "must have the type"),
        ({"type": "object", "properties": {"a": {"type": "object"}}}, "the field 'a' is of type 'object'"),
        ({"type": "object", "properties": {"a": {"type": "object", "enum": [{}]}}}, "the field 'a' is of type"),
        ({"type": "object", "properties": {"a": {}}}, "the field 'a' must be one of"),
        ({"type": "object", "properties": {"a": {"enum": []}}}, "the field 'a' must be one of"),
        ({"type": "object", "properties": {"a": {"oneOf": ["x"]}}}, "the field 'a' must be one of"),
        ({"type": "object", "properties": {"a": {"type": "array", "items": {"anyOf": [{}]}}}}, "'a' is a list"),
        ({"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}, "JSON Schema 2020-12, not"),
        ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}, "'a' is a list"),
        ({"type": "object", "properties": {"a": {"type": "string", "format": "ipv4"}}}, "'a' has an unknown format"),
        ({"type": "object", "properties": {"a": True}}, "the field 'a'"),
    ):
        port = FakePort({"elicitation": {}})
        with pytest.raises(ValueError, match=message):
            await context_of(port).ui.elicit("?", schema)
        assert port.asked == []


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "url"},
        {"mode": "url", "url": "file:///etc/passwd"},
        {"mode": "url", "url": "https://a.example", "schema": Order},
    ],
)
async def test_url_mode_requires_a_url_and_no_form(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="url mode"):
        await context_of(FakePort({"elicitation": {"url": {}}})).ui.elicit("?", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"mode": "popup"}, "unknown mode 'popup'"), ({"url": "https://a.example"}, "use mode='url'")],
)
async def test_an_unknown_mode_and_a_url_without_its_mode_are_refused(options: dict[str, Any], message: str) -> None:
    port = FakePort({"elicitation": {"form": {}, "url": {}}})
    with pytest.raises(ValueError, match=message):
        await context_of(port).ui.elicit("?", **options)
    assert port.asked == []


async def test_an_author_may_choose_the_id_of_an_elicitation() -> None:
    port = FakePort({"elicitation": {"url": {}}}, {"action": "accept"})
    ui = context_of(port).ui
    result = await ui.elicit("Sign", mode="url", url="https://a.example", elicitation_id="visit-7")
    assert result.elicitation_id == port.asked[0][1]["elicitationId"] == "visit-7"


async def test_the_arguments_have_the_order_of_arcade() -> None:
    port = FakePort({"elicitation": {"form": {}, "url": {}}}, {"action": "accept", "content": {"name": "Ada"}})
    ui = context_of(port).ui
    assert (await ui.elicit("?", None, "url", "https://a.example", "visit-1", 5)).elicitation_id == "visit-1"
    assert (await ui.elicit("?", {"type": "object", "properties": {}}, None)).content == {"name": "Ada"}


@pytest.mark.parametrize(
    ("capabilities", "mode", "error"),
    [
        ({}, "form", ElicitationNotSupportedError),
        ({}, "url", ElicitationNotSupportedError),
        ({"elicitation": {}}, "url", ElicitationModeNotSupportedError),
        ({"elicitation": {"url": {}}}, "form", ElicitationModeNotSupportedError),
    ],
)
async def test_each_missing_capability_raises_its_own_error(
    capabilities: dict[str, Any], mode: Any, error: type[MissingCapability]
) -> None:
    with pytest.raises(error) as raised:
        await context_of(FakePort(capabilities)).ui.elicit(
            "?", mode=mode, url="https://a.example" if mode == "url" else None
        )
    assert "elicitation" in raised.value.required


@pytest.mark.parametrize(
    ("error", "required"),
    [
        (ElicitationNotSupportedError("Please."), {"elicitation": {}}),
        (ElicitationModeNotSupportedError("Please."), {"elicitation": {"url": {}}}),
        (MissingCapability("Please.", {"roots": {}}), {"roots": {}}),
    ],
)
async def test_a_tool_can_raise_a_missing_capability_itself(error: MissingCapability, required: dict[str, Any]) -> None:
    app = MCPApp("lacks", toolkit="")

    @app.tool
    async def lack() -> None:
        """Lack."""
        raise error

    refusal = (await Client(app, MODERN).request("tools/call", name="lack"))["error"]
    assert (refusal["message"], refusal["data"]) == ("Please.", {"requiredCapabilities": required})
    assert (await result_of(app, "lack"))["isError"]


async def test_an_error_of_the_client_has_its_code() -> None:
    app = MCPApp("asks", toolkit="")

    @app.tool
    async def ask(context: Context) -> list[Any]:
        """Ask."""
        try:
            await context.ui.elicit("?")
        except RemoteError as error:
            return [error.code, error.message, error.data]
        return []

    refusal = {"error": {"code": -1, "message": "I will not", "data": {"why": "tired"}}}
    result = await result_of(app, "ask", answer=lambda method, params: refusal)
    assert result["structuredContent"]["result"] == [-1, "I will not", {"why": "tired"}]


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
async def test_a_request_can_be_withdrawn_by_its_key(revision: str) -> None:
    app = MCPApp("asks", toolkit="")
    withdrawn: list[bool] = []

    @app.tool
    async def ask(context: Context) -> str:
        """Ask, and change its mind."""

        async def change_mind() -> None:
            await asyncio.sleep(0)
            withdrawn.append(await context.client.cancel("colour"))
            withdrawn.append(await context.client.cancel("colour"))

        answers = await asyncio.gather(
            context.ui.elicit("Which colour?", key="colour"), change_mind(), return_exceptions=True
        )
        return str(answers[0])

    client = Client(app, revision)
    id = client.begin("tools/call", {"name": "ask", "_meta": client.envelope()})
    await until(lambda: any(message.get("id") == id and "result" in message for message in client.outlet.sent))
    result = client.outlet.sent[-1]["result"]
    assert withdrawn == [True, False]
    if revision == LEGACY:
        assert text_of(result) == "The request 'colour' (elicitation/create) was withdrawn."
        asked = next(message for message in client.outlet.sent if message.get("method") == "elicitation/create")
        (cancelled,) = [params for method, params in client.notifications if method == "notifications/cancelled"]
        assert cancelled["requestId"] == asked["id"]
