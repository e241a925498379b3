"""Foreign text cannot move the cursor, recolour or reorder what is on the screen."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from workbench.model.short_text import escaped, escaped_in_json, escaped_lines, first_paragraph, is_safe, shortened

quick = settings(deadline=None, database=None)


@each_row(
    ("text", "shown"),
    [
        ("plain ünï 漢字 👩\u200d👩", "plain ünï 漢字 👩\u200d👩"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\nb\tc\r\n", "a\\nb\\tc\\r\\n"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("\u202edlrow\u2066", "\\u202edlrow\\u2066"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_unsafe_characters_are_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_lines_keep_their_breaks_and_tabs() -> None:
    assert escaped_lines("a\r\nb\n\tc\x1b") == "a\nb\n\tc\\x1b"


@each_row(
    ("text", "shown"),
    [("", ""), ("\n One,\n  two.\n\nThree.", "One, two."), ("One.\n", "One."), ("x" * 5000, "x" * 1000)],
)
def test_the_beginning_of_a_text_fits_on_a_single_line(text: str, shown: str) -> None:
    assert first_paragraph(text) == shown


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"
    assert len(shortened("\n" * 100, 6)) == 6


@quick
@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "L"])))
def test_escaped_text_is_safe_and_can_be_sent(text: str) -> None:
    for shown in (escaped(text), escaped_lines(text)):
        assert is_safe(shown)
        shown.encode()
    assert "\n" not in escaped(text)


@quick
@given(st.text(st.characters()))
def test_escaped_json_means_the_same(text: str) -> None:
    shown = escaped_in_json(json.dumps({"a": text}, ensure_ascii=False))
    assert is_safe(shown)
    assert json.loads(shown) == {"a": text}
