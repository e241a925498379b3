"""Markdown as short styled text."""

from tests.tables import each_row
from workbench.model.markdown_text import StyledPart, markdown_lines


def plain(source: str) -> list[str]:
    return ["".join(text for text, _ in line) for line in markdown_lines(source)]


@each_row(
    ("source", "parts"),
    [
        ("**Brew** a pot.", [("Brew", "strong"), (" a pot.", "")]),
        ("__Brew__ it", [("Brew", "strong"), (" it", "")]),
        ("Call `brew()` now", [("Call ", ""), ("brew()", "code"), (" now", "")]),
        (
            "An *old* and _small_ pot",
            [("An ", ""), ("old", "emphasis"), (" and ", ""), ("small", "emphasis"), (" pot", "")],
        ),
        ("See [the menu](https://example.org/menu).", [("See ", ""), ("the menu", ""), (".", "")]),
    ],
)
def test_signs_become_styles(source: str, parts: list[StyledPart]) -> None:
    assert list(markdown_lines(source)) == [parts]


@each_row("text", ["2 ** 3 ** 4", "snake_case_name and __init", "a * b * c", "[1] and (2)", "5 # 6"])
def test_other_uses_of_the_signs_stay(text: str) -> None:
    assert plain(text) == [text]


def test_the_lines_of_a_paragraph_are_joined_and_items_stay_apart() -> None:
    source = "# Menu\n\nOur dishes\nof today:\n- soup\n  with bread\n- tea\n1. first\n2. second\n\n---\nThe end."
    assert plain(source) == [
        "Menu",
        "Our dishes of today:",
        "• soup with bread",
        "• tea",
        "1. first",
        "2. second",
        "The end.",
    ]


def test_code_keeps_its_lines() -> None:
    assert list(markdown_lines("Like this:\n```python\nif **x:\n    y\n```\nDone.")) == [
        [("Like this:", "")],
        [("if **x:", "code")],
        [("    y", "code")],
        [("Done.", "")],
    ]


def test_control_characters_are_escaped() -> None:
    assert "\x1b" not in "".join(plain("**\x1b[2Jred** `\x1b]0;x` text\x1b"))


@each_row("sign", ["*", "_", "`", "[", "**", "# ", "[a]("])
def test_many_signs_take_no_long_time(sign: str) -> None:
    assert plain(sign * 20_000) is not None
