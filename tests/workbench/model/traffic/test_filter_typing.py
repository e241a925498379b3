"""Completion of a filter while it is typed, and the earlier filters."""

from tests.tables import each_row
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.filter_typing import MAX_FILTERS, FilterHistory, completion, meant_tool

NAMES = {"tool": ["greet", "count words", "add"]}


@each_row(
    "text, completed",
    [
        ("to", "tool:"),
        ("status:err (me", "status:err (method:"),
        ("!st", "!status:"),
        ("a|TOOL:g", "a|TOOL:greet"),
        ("tool:", "tool:greet"),
        ("status:can", "status:cancelled"),
        ("dir:o", "dir:out"),
        ("tool:count", None),
        ("tool:greet", None),
        ("", None),
        ("tool:greet ", None),
        ("nothing", None),
        ("unknown:x", None),
    ],
)
def test_the_last_word_is_completed(text: str, completed: str | None) -> None:
    assert completion(text, lambda field: NAMES.get(field, [])) == completed


@each_row(
    "text, tool",
    [
        ("tool:gret", "greet"),
        ("status:err (tool:ADDD | dir:in)", "add"),
        ("tool:gree", ""),
        ("tool:weather", ""),
        ("gret", ""),
        ("", ""),
    ],
)
def test_the_tool_that_an_unknown_name_means_is_proposed(text: str, tool: str) -> None:
    assert meant_tool(parse_filter(text).syntax, NAMES["tool"]) == tool


def test_the_keys_go_through_the_earlier_filters_and_back_to_what_is_typed() -> None:
    history = FilterHistory(["a", "b"])
    assert [history.move(-1, "typed"), history.move(-1, "b"), history.move(-1, "a")] == ["b", "a", None]
    assert [history.move(1, "a"), history.move(1, "b"), history.move(1, "typed")] == ["b", "typed", None]
    history.move(-1, "typed")
    assert [history.leave(), history.leave()] == ["typed", None]


def test_a_filter_that_is_used_again_becomes_the_newest() -> None:
    history = FilterHistory(str(number) for number in range(100))
    history.add("60")
    history.add("")
    assert history.filters[-2:] == ["99", "60"]
    assert history.filters.count("60") == 1
    assert len(history.filters) == MAX_FILTERS
    assert history.move(-1, "") == "60"
