"""Forms for elicitation, with every form of a choice."""

import enum
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from server_core import Context, ContextError
from server_core.exceptions import MCPError, UnsupportedSchemaDialectError
from server_core.execution.context.elicitation_forms import DIALECTS, EMPTY, answer_value, form_for_revision, form_of
from server_core.protocol.revisions import REVISION_2025_06_18, REVISION_2025_11_25, Revision
from tests.conversations.witness import schema_of
from tests.server_core.ports import FakePort

pytestmark = pytest.mark.promises("context")


class Speed(enum.Enum):
    STANDARD = "std"
    EXPRESS = "exp"


Region = (
    Annotated[Literal["us-east-1"], Field(title="US East")] | Annotated[Literal["eu-west-1"], Field(title="EU West")]
)
SPEEDS = {"type": "string", "enum": ["std", "exp"]}
TITLED = [{"const": "us-east-1", "title": "US East"}, {"const": "eu-west-1", "title": "EU West"}]


def form_with(field: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"f": field}, "required": ["f"]}


def problems_of(form: dict[str, Any], revision: Revision = REVISION_2025_11_25) -> list[str]:
    """Return the errors of an elicitation with this form, by the schema of the specification."""
    params = {"message": "?", "requestedSchema": form}
    message = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params}
    return [violation.text for violation in schema_of(revision.date).of_call(message)]


CHOICES = {
    "one of several": ({"type": "string", "enum": ["a", "b"], "default": "a"},) * 2,
    "one of several, without a type": ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
    "one of several with titles": ({"oneOf": TITLED}, {"type": "string", "oneOf": TITLED}),
    "titles that are missing": (
        {"type": "string", "oneOf": [{"const": "a"}]},
        {"type": "string", "oneOf": [{"const": "a", "title": "a"}]},
    ),
    "one of several with names, as before": (
        {"enum": ["a", "b"], "enumNames": ["A", "B"], "default": "a"},
        {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "a"},
    ),
    "any of several": ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": []},) * 2,
    "any of several with titles": ({"type": "array", "items": {"anyOf": TITLED}},) * 2,
    "any of several with titles, as oneOf": (
        {"type": "array", "items": {"oneOf": TITLED}},
        {"type": "array", "items": {"anyOf": TITLED}},
    ),
}


def test_every_form_of_a_choice_is_sent_as_the_specification_defines_it() -> None:
    for written, sent in CHOICES.values():
        form = form_of(form_with(written))
        assert form == form_with(sent)
        assert problems_of(form) == []


class Deployment(BaseModel):
    speed: Speed
    region: Region
    regions: set[Region] = set()
    speeds: list[Speed] | None = None
    only: Literal["this"] = "this"
    fallback: Region | None = None


def test_models_with_enums_and_literals_are_choices() -> None:
    properties = form_of(Deployment)["properties"]
    assert properties == {
        "speed": {"type": "string", "enum": ["std", "exp"], "title": "Speed"},
        "region": {"type": "string", "oneOf": TITLED},
        "regions": {"type": "array", "items": {"anyOf": TITLED}, "default": []},
        "speeds": {"type": "array", "items": {"type": "string", "enum": ["std", "exp"]}},
        "only": {"type": "string", "enum": ["this"], "default": "this"},
        "fallback": {"type": "string", "oneOf": TITLED},
    }
    assert problems_of(form_of(Deployment)) == []
    value = answer_value(Deployment, {"speed": "exp", "region": "eu-west-1", "regions": ["us-east-1"]})
    assert (value.speed, value.region, value.regions) == (Speed.EXPRESS, "eu-west-1", {"us-east-1"})


@pytest.mark.parametrize(
    ("asked", "field", "content", "value"),
    [
        (Speed, {"type": "string", "enum": ["std", "exp"], "title": "Speed"}, "exp", Speed.EXPRESS),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "b", "b"),
        (Region, {"type": "string", "oneOf": TITLED}, "us-east-1", "us-east-1"),
        (int, {"type": "integer"}, 3, 3),
        (Annotated[str, "Who you are."], {"type": "string", "description": "Who you are."}, "Ada", "Ada"),
        (
            list[Speed],
            {"type": "array", "items": {"type": "string", "enum": ["std", "exp"]}},
            ["std"],
            [Speed.STANDARD],
        ),
    ],
)
async def test_the_type_of_one_answer_is_a_form_with_one_field(
    asked: Any, field: Any, content: Any, value: Any
) -> None:
    port = FakePort({"elicitation": {}}, {"action": "accept", "content": {"value": content}})
    result = await Context(port, 1).ui.elicit("Which?", asked)
    assert port.asked[0][1]["requestedSchema"] == {
        "type": "object",
        "properties": {"value": field},
        "required": ["value"],
    }
    assert result.value == value
    assert result.content == {"value": content}


async def test_an_answer_that_is_not_a_choice_does_not_match() -> None:
    port = FakePort({"elicitation": {}}, {"action": "accept", "content": {"value": "slow"}})
    with pytest.raises(ContextError, match="does not match the form"):
        await Context(port, 1).ui.elicit("Which?", Speed)


@pytest.mark.parametrize("content", ["text", ["a"], 3])
async def test_an_answer_that_is_not_an_object_does_not_match(content: Any) -> None:
    port = FakePort({"elicitation": {}}, {"action": "accept", "content": content})
    with pytest.raises(ContextError, match="does not match the form"):
        await Context(port, 1).ui.elicit("Which?", Speed)


@dataclass
class Nested:
    inner: Deployment


@pytest.mark.parametrize("asked", [dict[str, int], list[int], list[str], Nested, object, object()])
async def test_a_field_that_forms_do_not_support_is_refused_before_anything_is_sent(asked: Any) -> None:
    port = FakePort({"elicitation": {}})
    with pytest.raises(ValueError, match="form"):
        await Context(port, 1).ui.elicit("?", asked)
    assert port.asked == []


@pytest.mark.parametrize("dialect", ["http://json-schema.org/draft-07/schema#", "https://example.com/x", "", None, 7])
async def test_a_schema_in_another_dialect_raises_its_own_error(dialect: Any) -> None:
    port = FakePort({"elicitation": {}})
    with pytest.raises(UnsupportedSchemaDialectError, match="JSON Schema 2020-12, not") as refused:
        await Context(port, 1).ui.elicit("?", {"$schema": dialect, "type": "object"})
    assert isinstance(refused.value, ValueError)
    assert isinstance(refused.value, MCPError)
    assert port.asked == []


@pytest.mark.parametrize("dialect", [*DIALECTS, f"{DIALECTS[0]}#"])
async def test_a_schema_may_name_the_default_dialect(dialect: str) -> None:
    port = FakePort({"elicitation": {}}, {"action": "cancel"})
    await Context(port, 1).ui.elicit("?", {"$schema": dialect, "type": "object"})
    assert len(port.asked) == 1


def test_an_author_s_schema_is_not_changed() -> None:
    schema = form_with({"oneOf": TITLED})
    form_of(schema)
    assert schema == form_with({"oneOf": TITLED})


def test_no_schema_means_an_empty_form() -> None:
    assert form_of(None) == EMPTY == form_of({"type": "object"})


async def test_a_client_of_an_older_revision_gets_choices_in_its_form() -> None:
    form = form_of({**form_with({"oneOf": TITLED}), "$schema": "https://json-schema.org/draft/2020-12/schema"})
    older = form_for_revision(REVISION_2025_06_18, form)
    assert older == form_with(
        {"type": "string", "enum": ["us-east-1", "eu-west-1"], "enumNames": ["US East", "EU West"]}
    )
    assert problems_of(older, REVISION_2025_06_18) == []
    assert form_for_revision(REVISION_2025_11_25, form) == form
    port = FakePort({"elicitation": {}}, revision=REVISION_2025_06_18)
    with pytest.raises(
        ContextError, match="'f' is a list, which forms of the client's revision 2025-06-18 do not support"
    ):
        await Context(port, 1).ui.elicit("?", form_with({"type": "array", "items": {"enum": ["a"]}}))
    assert port.asked == []
