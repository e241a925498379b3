"""What changed between two definitions of an offer, and between two catalogs."""

from typing import Any

from workbench.model.catalog import Offer, offers
from workbench.model.definitions.change import Verdict, verdict_text
from workbench.model.definitions.offer_changes import catalog_changes, offer_changes


def tool(**members: Any) -> dict[str, Any]:
    return {"name": "greet", "description": "Greet.", "inputSchema": {"type": "object"}, **members}


def offer(**members: Any) -> Offer:
    return offers({"tools": [tool(**members)]})[0]


def sentences(old: Offer, new: Offer) -> list[str]:
    return [change.sentence for change in offer_changes(old, new)]


def test_an_equal_definition_has_no_changes() -> None:
    assert offer_changes(offer(), offer(source={"file": "a.py", "line": 2})) == []


def test_breaking_changes_come_first() -> None:
    new = offer(
        description="Other.",
        inputSchema={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    )
    assert sentences(offer(), new) == ["`name` is new and required.", "It has another description."]
    assert offer_changes(offer(), new)[0].place == "inputSchema.properties.name"


def test_a_removed_output_schema_is_breaking_for_readers() -> None:
    old = offer(outputSchema={"type": "object"})
    assert verdict_text(offer_changes(old, offer())) == "breaking for readers of results"
    assert verdict_text(offer_changes(offer(), old)) == "not breaking"


def test_both_sides_of_a_call_may_break() -> None:
    old = offer(outputSchema={"type": "object", "required": ["a"]})
    new = offer(outputSchema={"type": "object"}, inputSchema={"type": "object", "required": ["b"]})
    assert verdict_text(offer_changes(old, new)) == "breaking for callers and for readers of results"


def test_hints_are_described_in_words() -> None:
    assert sentences(offer(annotations={"readOnlyHint": True}), offer(annotations={"readOnlyHint": False})) == [
        "It is declared as not read-only now."
    ]


def test_a_new_secret_is_breaking_for_callers() -> None:
    (change,) = offer_changes(offer(secrets=[]), offer(secrets=["KEY"]))
    assert change.sentence == "It needs KEY as secrets now, not nothing."
    assert change.verdict is Verdict.CALLERS


def test_an_argument_of_a_prompt_that_becomes_required_is_breaking() -> None:
    old, new = (
        offers({"prompts": [{"name": "p", "arguments": [{"name": "a", "required": required}]}]})[0]
        for required in (False, True)
    )
    (change,) = offer_changes(old, new)
    assert (change.place, change.sentence) == ("arguments.required", "`a` is required now.")


def test_the_mime_type_of_a_resource_concerns_its_readers() -> None:
    old, new = (offers({"resources": [{"uri": "a:b", "mimeType": kind}]})[0] for kind in ("text/plain", "image/png"))
    assert sentences(old, new) == ["The MIME type is image/png now, not text/plain."]


def test_a_catalog_has_the_changes_of_each_offer_that_differs() -> None:
    old = {"tools": [tool(), tool(name="same"), tool(name="gone")]}
    new = {"tools": [tool(title="T"), tool(name="same"), tool(name="added")]}
    changes = catalog_changes(old, new)
    assert {key: verdict_text(details) for key, details in changes.items()} == {
        ("tool", "greet"): "not breaking",
        ("tool", "added"): "not breaking",
        ("tool", "gone"): "breaking for callers",
    }


def test_of_very_many_changed_definitions_some_are_not_compared() -> None:
    old = {"tools": [tool(name=f"t{index}") for index in range(300)]}
    new = {"tools": [tool(name=f"t{index}", title="T") for index in range(300)]}
    changes = catalog_changes(old, new)
    assert len(changes) == 300
    assert verdict_text(changes["tool", "t299"]) == "not compared in full"
