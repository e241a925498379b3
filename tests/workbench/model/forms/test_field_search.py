"""Every field of a form is searched, whether or not it has a row."""

from typing import Any

from tests.workbench.tui.hosting import objects
from workbench.model.forms.field_search import MOST, field_entries, path_name, reveal, search_fields
from workbench.model.forms.form import Form

TEXT = {"type": "string"}
ADDRESS = objects(street=TEXT, city={"type": "string", "description": "As on the envelope"})
PERSON = objects(name=TEXT, address={"anyOf": [ADDRESS, {"type": "null"}], "default": None})


def names(form: Form, query: str = "") -> list[str]:
    return [match.entry.name for match in search_fields(field_entries(form), query)]


def test_fields_of_closed_groups_and_items_are_searched() -> None:
    form = Form(
        objects(person=PERSON, tags={"type": "array", "items": TEXT}, guests={"type": "array", "items": PERSON})
    )
    form.load({"tags": ["a", "b"], "guests": [{"name": "Ada"}]})
    assert names(form) == [
        "person",
        "person.name",
        "person.address",
        "person.address.street",
        "person.address.city",
        "tags",
        "guests",
        "guests[0]",
        "guests[0].name",
        "guests[0].address",
        "guests[0].address.street",
        "guests[0].address.city",
    ]


def test_the_best_match_is_first_and_descriptions_are_searched_last() -> None:
    form = Form(objects(person=PERSON, city_code=TEXT))
    assert names(form, "city") == ["city_code", "person.address.city"]
    assert names(form, "pstr") == ["person.address.street"]
    assert names(form, "envelope") == ["person.address.city"]
    assert names(form, "zzz") == []


def test_a_schema_that_contains_itself_is_searched_to_an_end() -> None:
    node: dict[str, Any] = objects(name=TEXT, next={"$ref": "#/$defs/Node"}, other={"$ref": "#/$defs/Node"})
    form = Form({"$defs": {"Node": node}, "$ref": "#/$defs/Node"})
    assert "next.name" in names(form)
    wide = objects(**{f"p{number}": {"$ref": f"#/$defs/D{number % 7}"} for number in range(200)})
    form = Form({**wide, "$defs": {f"D{number}": objects(**wide["properties"], own=TEXT) for number in range(7)}})
    assert len(field_entries(form)) == MOST


def test_a_field_is_opened_with_all_groups_above_it() -> None:
    form = Form(objects(person=PERSON))
    reveal(form, ("person", "address", "city"))
    form.set_text(("person", "address", "city"), "Bath")
    assert form.value() == {"person": {"address": {"city": "Bath"}}}


def test_a_field_beyond_the_shown_number_gets_one() -> None:
    form = Form(objects(**{f"p{number}": {"type": "integer"} for number in range(250)}))
    assert names(form, "p249") == ["p249"]
    reveal(form, ("p249",))
    form.set_text(("p249",), "7")
    assert form.value() == {"p249": 7}


def test_a_path_is_written_as_in_code() -> None:
    assert path_name(("guests", 0, "name")) == "guests[0].name"
    assert path_name((0, 1)) == "[0][1]"
