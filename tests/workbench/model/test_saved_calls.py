"""Saved calls: what a YAML text may contain, the mistakes in it, and changes that leave everything else as it is."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.catalog import OfferKind
from workbench.model.project_yaml import CALLS, problem_of_name
from workbench.model.saved_calls import SavedCall, parse_saved_calls
from workbench.model.yaml_entries import with_entry, with_name, without_entry
from workbench.model.yaml_text import MAX_VALUES

TEXT = """\
# Of the café.
calls:
  # Every morning.
  greet Ada:  # the first guest
    tool: greet
    arguments:
      name: Ada  # the guest
      times: 2
      polite: no
      note: |
        # not a comment
        two lines

  # The menu
  menu:
    resource: demo://menu
"""
ADA = SavedCall(
    "greet Ada",
    OfferKind.TOOL,
    "greet",
    {"name": "Ada", "times": 2, "polite": "no", "note": "# not a comment\ntwo lines\n"},
)
MENU = SavedCall("menu", OfferKind.RESOURCE, "demo://menu")


def with_call(text: str, call: SavedCall) -> str:
    return with_entry(text, CALLS, call.name, call.to_yaml())


def test_calls_have_a_name_an_offer_and_arguments() -> None:
    saved = parse_saved_calls(TEXT)
    assert saved.calls == (ADA, MENU)
    assert saved.problems == ()
    assert (saved.find("menu"), saved.find("gone")) == (MENU, None)
    assert ADA.note.startswith('greet {"name": "Ada", "times": 2')


@each_row("text", ["", "# nothing\n", "calls:\n", "calls: {}\n", "calls: null\n"])
def test_a_file_without_calls_is_no_mistake(text: str) -> None:
    assert parse_saved_calls(text) == parse_saved_calls("")


@each_row(
    ("text", "problem"),
    [
        ("- a\n", "line 1: the file must be a mapping with calls, rules and personas"),
        ("calls:\n  - a\n", "line 1: calls must be a mapping of names to calls"),
        ("call:\n", "line 1: there is no setting call; the file has only calls, rules and personas"),
        ("calls:\n  a: greet\n", "line 2: a: write `tool: NAME` below it, and its arguments"),
        ("calls:\n  a:\n    tol: x\n", "line 3: a: there is no tol; did you mean tool?"),
        ("calls:\n  a:\n    arguments: {}\n", "line 2: a: write exactly one of tool, resource, template, prompt"),
        ("calls:\n  a:\n    tool: 5\n", "line 3: a: tool must be a text"),
        ("calls:\n  a:\n    tool: x\n    arguments: 5\n", "line 4: a: arguments must be a mapping of names to values"),
        ("calls:\n  a: {tool: x}\n  a: {tool: y}\n", "line 3: 'a' is there twice"),
        ("calls:\n  ' ': {tool: x}\n", "line 2:  : Enter a name, or press Esc."),
    ],
)
def test_a_mistake_has_its_line(text: str, problem: str) -> None:
    assert problem in parse_saved_calls(text).problems


def test_the_rest_of_a_file_with_mistakes_is_used() -> None:
    text = TEXT.replace("tool: greet", "tool: [greet") + "  bad: {tool: }\n  last:\n    prompt: plan\n"
    saved = parse_saved_calls(text)
    assert [call.name for call in saved.calls] == ["menu", "last"]
    assert [problem.partition(":")[0] for problem in saved.problems] == ["line 6", "line 17"]


@each_row("text", ["a: \x07", "a: {b", "a: 'x", "\t- a", "? [a]\n: b", "*x", "a: " + "[" * 3000])
def test_text_that_is_no_yaml_is_a_mistake(text: str) -> None:
    assert parse_saved_calls(text).problems


def test_anchors_that_repeat_too_much_are_a_mistake() -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert MAX_VALUES < 10**8
    assert "too many values" in parse_saved_calls("\n".join(lines)).problems[0]


def test_a_call_is_added_at_the_end_and_comments_and_order_stay() -> None:
    new = SavedCall("plan", OfferKind.PROMPT, "plan", {"day": "Monday"})
    text = with_call(TEXT, new)
    assert text == TEXT + "  plan:\n    prompt: plan\n    arguments:\n      day: Monday\n"
    assert parse_saved_calls(text).calls == (ADA, MENU, new)


def test_the_line_breaks_of_windows_stay() -> None:
    text = "calls:\r\n  a: # mine\r\n    tool: b\r\n"
    call = SavedCall("c", OfferKind.TOOL, "d", {"text": "two\nlines"})
    changed = with_call(text, call)
    assert changed.startswith(text)
    assert changed.count("\r\n") == changed.count("\n")
    assert parse_saved_calls(changed).calls[1] == call


def test_another_call_of_the_same_name_takes_its_place() -> None:
    text = with_call(TEXT, SavedCall("greet Ada", OfferKind.TOOL, "hello"))
    assert text == (
        "# Of the café.\ncalls:\n  # Every morning.\n  greet Ada:  # the first guest\n    tool: hello\n\n"
        "  # The menu\n  menu:\n    resource: demo://menu\n"
    )


def test_a_call_is_removed_or_renamed_and_everything_else_stays() -> None:
    assert parse_saved_calls(without_entry(TEXT, CALLS, "menu")).calls == (ADA,)
    assert without_entry(TEXT, CALLS, "menu") == TEXT[: TEXT.index("  menu:")]
    assert with_name(TEXT, CALLS, "menu", "the: menu") == TEXT.replace("  menu:", "  'the: menu':")
    assert with_name(TEXT, CALLS, "greet Ada", "no") == TEXT.replace("greet Ada:", "'no':")
    assert parse_saved_calls(with_name(TEXT, CALLS, "greet Ada", "5")).calls[0].name == "5"


@each_row("text", ["", "# mine\n", "calls:\n", "calls: {}  # none\n", "# mine\ncalls: null", "other: 1"])
def test_the_first_call_is_added_to_any_file(text: str) -> None:
    assert parse_saved_calls(with_call(text, MENU)).calls == (MENU,)
    assert parse_saved_calls(with_call(with_call(text, MENU), ADA)).calls == (MENU, ADA)
    assert text.strip("\n").split("  ")[0].removesuffix(" {}").removesuffix(" null") in with_call(text, MENU)


@each_row("text", ["calls: {a: {tool: x}}\n", "calls: [", "- a\n", "calls: 5\n"])
def test_a_file_without_a_line_for_each_call_is_not_changed(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|braces|mapping"):
        with_call(text, MENU)


def test_a_call_that_is_gone_is_not_removed() -> None:
    with pytest.raises(ValueError, match="gone is no longer there"):
        without_entry(TEXT, CALLS, "gone")


@each_row(
    "value",
    [
        "no",
        "1e5",
        "1_000",
        "0x1f",
        "2026-01-31",
        "null",
        "",
        " a ",
        "a\nb",
        "a\nb\n\n",
        "\u0085",
        "\u2028",
        "\x07",
        "# a",
        "a: b",
        "😀",
        "x" * 300 + " " + "y" * 300,
        1.5,
        1e30,
        -3,
        True,
        None,
        [],
        {},
        [[1], {"a": []}],
        {"5": 1, "": 2, "a b": {"c": None}},
    ],
)
def test_any_json_value_survives(value: Any) -> None:
    call = SavedCall("a", OfferKind.TOOL, "x", {"value": value})
    assert parse_saved_calls(with_call(TEXT, call)).find("a") == call


def test_names_are_short_and_printable() -> None:
    assert problem_of_name("order for Ada: 5 €") is None
    assert problem_of_name("") == "Enter a name, or press Esc."
    for name in (" a", "a\n", "x" * 101, "\x07"):
        assert problem_of_name(name) is not None
