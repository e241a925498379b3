"""What a terminal remembers of a project."""

from workbench.model.terminal_memory import MAX_FORMS, TerminalMemory, known_members

SCHEMA = {
    "properties": {
        "name": {"type": "string"},
        "pin": {"type": "string", "format": "password"},
        "code": {"type": "string", "writeOnly": True},
        "login": {"properties": {"user": {}, "api_key": {}}},
        "rows": {"items": {"properties": {"pin": {"format": "password"}}}},
    }
}


def test_secret_values_are_not_stored() -> None:
    memory = TerminalMemory("tools", "greet", filter="tool:greet")
    value = {
        "name": "Ada",
        "pin": "1",
        "code": "2",
        "login": {"user": "ada", "api_key": "3"},
        "rows": [{"pin": "4", "count": 5}],
    }
    memory.set_values("greet", value, SCHEMA)
    stored = memory.to_json()
    assert stored["values"] == {"greet": {"name": "Ada", "login": {"user": "ada"}, "rows": [{"count": 5}]}}
    assert memory.values["greet"] == value, "a terminal that is opened again after a failure has all of them"
    assert TerminalMemory.from_json(stored).filter == "tool:greet"


def test_an_invalid_memory_is_empty() -> None:
    empty = TerminalMemory()
    for value in (None, 3, [], {}, {"place": 3, "tool": [], "values": {"a": 1}, "filter": None}, {"values": []}):
        assert TerminalMemory.from_json(value) == empty


def test_a_member_that_the_schema_has_no_longer_is_not_restored() -> None:
    assert known_members({"name": "Ada", "old": 1}, SCHEMA) == {"name": "Ada"}
    assert known_members({"name": "Ada"}, {"properties": []}) == {}


def test_the_number_of_forms_is_limited() -> None:
    memory = TerminalMemory()
    for number in range(MAX_FORMS + 3):
        memory.set_values(f"tool_{number}", {"a": number}, {})
    assert len(memory.values) == MAX_FORMS
    assert "tool_0" not in memory.values
    memory.set_values("tool_9", {}, {})
    assert "tool_9" not in memory.values


def test_typed_texts_and_drafts_are_stored_unless_they_may_be_secret() -> None:
    memory = TerminalMemory()
    typed = [(("name",), "2]"), (("pin",), "12"), (("rows", 0, "count"), "3.")]
    memory.set_values("greet", {"name": "2]", "pin": "12", "rows": [{"count": "3."}]}, SCHEMA, typed, '{"name": ')
    memory.set_values("plain", {}, {"type": "object"}, (), '{"name": ')
    memory.set_values("named", {}, {"type": "object"}, (), '{"password": ')
    stored = memory.to_json()
    assert stored["texts"]["greet"] == [[["name"], "2]"], [["rows", 0, "count"], "3."]]
    assert stored["drafts"] == {"plain": '{"name": '}
    assert set(memory.drafts) == {"greet", "plain", "named"}
    again = TerminalMemory.from_json(stored)
    assert again.texts["greet"] == [(("name",), "2]"), (("rows", 0, "count"), "3.")]
    assert again.drafts == stored["drafts"]


def test_invalid_texts_and_drafts_are_ignored() -> None:
    value = {"texts": {"a": [1, ["b"], [["c"], 3], [[None], "d"], [["e"], "f"]], "g": 1}, "drafts": {"a": 1}}
    memory = TerminalMemory.from_json(value)
    assert memory.texts == {"a": [(("e",), "f")], "g": []}
    assert memory.drafts == {}
