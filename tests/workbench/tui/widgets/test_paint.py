"""Texts in an exact number of cells."""

import pytest
from rich.cells import cell_len

from workbench.tui.widgets.paint import fit, fit_matches, fit_right


@pytest.mark.parametrize(
    "text", ["", "short", "exactly 10", "longer than that", "漢字漢字漢字漢字", "a\x1bb\nc", "é" * 30]
)
def test_a_text_fills_exactly_the_given_cells(text: str) -> None:
    for width in (1, 2, 9, 10, 25):
        assert cell_len(fit(text, width)) == width
        assert cell_len(fit_right(text, width)) == width


def test_cut_texts_end_with_an_ellipsis() -> None:
    assert fit("abcdef", 4) == "abc…"


def test_a_text_without_cells_is_empty() -> None:
    assert fit("abc", 0) == fit_right("abc", -1) == ""


def test_a_text_can_be_aligned_to_the_right() -> None:
    assert fit_right("12", 5) == "   12"


@pytest.mark.parametrize(
    ("text", "positions", "width", "runs"),
    [
        ("greet", {0, 1}, 7, [("gr", "match"), ("eet  ", "")]),
        ("greet", set(), 4, [("gre…", "")]),
        ("greet", {3, 4, 9}, 4, [("gre…", "")]),
        ("a\x1bb", {0}, 8, [("a\\x1bb  ", "")]),
    ],
)
def test_matched_characters_have_their_own_style(
    text: str, positions: set[int], width: int, runs: list[tuple[str, str]]
) -> None:
    assert fit_matches(text, positions, width, "", "match") == runs
