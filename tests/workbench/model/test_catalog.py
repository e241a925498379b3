"""The catalog: offers, and the state of the last load."""

from typing import Any

from tests.tables import each_row
from workbench.model.catalog import OfferKind, is_stale, load_state, offers

CATALOG: dict[str, Any] = {
    "tools": [{"name": "greet", "title": "Greet", "description": "Say hello.", "inputSchema": {"type": "object"}}],
    "resources": [{"uri": "demo://menu", "name": "menu"}],
    "templates": [{"uriTemplate": "demo://dishes/{dish}", "name": "dish"}],
    "prompts": [
        {"name": "invite", "arguments": [{"name": "guest", "required": True}, {"name": "day", "title": "Day"}]}
    ],
}


def test_all_kinds_are_in_a_single_list_with_the_names_of_the_protocol() -> None:
    assert [(offer.kind, offer.name, offer.title) for offer in offers(CATALOG)] == [
        (OfferKind.TOOL, "greet", "Greet"),
        (OfferKind.RESOURCE, "demo://menu", "menu"),
        (OfferKind.TEMPLATE, "demo://dishes/{dish}", "dish"),
        (OfferKind.PROMPT, "invite", "invite"),
    ]


def test_each_kind_has_the_schema_of_its_form() -> None:
    tool, resource, template, prompt = offers(CATALOG)
    assert tool.schema == {"type": "object"}
    assert resource.schema["properties"] == {}
    assert (template.schema["properties"], template.schema["required"]) == ({"dish": {"type": "string"}}, ["dish"])
    assert prompt.schema["properties"] == {"guest": {"type": "string"}, "day": {"type": "string", "title": "Day"}}
    assert prompt.schema["required"] == ["guest"]


def test_prompts_and_templates_can_be_completed() -> None:
    assert [offer.reference for offer in offers(CATALOG)] == [
        None,
        None,
        {"type": "ref/resource", "uri": "demo://dishes/{dish}"},
        {"type": "ref/prompt", "name": "invite"},
    ]


def test_lists_show_a_name_and_the_uri_beside_it() -> None:
    assert [(offer.label, offer.note) for offer in offers(CATALOG)] == [
        ("greet", "Say hello."),
        ("menu", "demo://menu"),
        ("dish", "demo://dishes/{dish}"),
        ("invite", ""),
    ]


@each_row(
    "catalog",
    [
        {},
        {"tools": None, "prompts": "x"},
        {"tools": ["no", 1, None]},
        {"tools": [{"name": 3, "inputSchema": [], "description": {}}]},
        {"prompts": [{"arguments": {"a": 1}}], "templates": [{}], "resources": [{"uri": None}]},
    ],
)
def test_definitions_of_any_shape_are_offers_that_can_be_shown(catalog: dict[str, Any]) -> None:
    for offer in offers(catalog):
        assert isinstance(offer.name + offer.title + offer.description, str)
        assert offer.schema["type"] == "object"


NOTHING: dict[str, Any] = {"ok": False, "generation": 3, "reloaded": [], "changes": {"tools": {"added": []}}}


@each_row(
    ("state", "is_kept"),
    [
        ({}, True),
        ({"changes": None}, True),
        ({"ok": True}, False),
        ({"generation": 1}, False),
        ({"reloaded": ["tools.fresh"]}, False),
        ({"changes": {"tools": {"added": ["fresh"]}}}, False),
    ],
)
def test_the_last_is_kept_where_nothing_new_is_served(state: dict[str, Any], is_kept: bool) -> None:
    assert is_stale({**NOTHING, **state}) is is_kept


BROKEN = [{"severity": "error", "message": "syntax error"}]


@each_row(
    ("catalog", "state"),
    [
        ({"ok": True, "tools": [{}], "problems": []}, "ready"),
        ({"ok": True, "tools": [], "problems": []}, "ready"),
        ({"ok": True, "tools": [{}], "problems": BROKEN}, "ready"),
        ({"ok": False, "tools": [], "problems": BROKEN}, "failed"),
        ({"ok": True, "tools": [], "problems": BROKEN}, "failed"),
        ({"ok": True, "prompts": [{}], "problems": BROKEN}, "ready"),
        ({**NOTHING, "tools": [{}], "problems": BROKEN}, "stale"),
        ({**NOTHING, "tools": [{}], "problems": BROKEN, "reloaded": ["tools.fresh"]}, "partial"),
        ({**NOTHING, "tools": [{}], "problems": BROKEN, "generation": 1}, "partial"),
    ],
)
def test_the_state_of_a_load_shows_whether_everything_is_served(catalog: dict[str, Any], state: str) -> None:
    assert load_state(catalog) == state
