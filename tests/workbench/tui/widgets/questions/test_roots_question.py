"""The question for the folders that the user shares."""

import pytest

from workbench.tui.widgets.questions.roots_question import read_roots


def test_rows_are_paths_or_uris_and_empty_rows_are_ignored() -> None:
    assert read_roots("/a/b c\n\nfile:///d\n") == [
        {"uri": "file:///a/b%20c", "name": "b c"},
        {"uri": "file:///d", "name": "d"},
    ]


def test_no_rows_are_no_roots() -> None:
    assert read_roots("") == []


@pytest.mark.parametrize("text", ["relative/path", "https://example.com", "/a\nb", "~nosuch/a"])
def test_a_row_that_is_not_a_folder_is_refused_and_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"^Line \d is neither an absolute path"):
        read_roots(text)
