"""Texts that are clearly Markdown, and others."""

import pytest

from workbench.model.markdown_signs import MAX_LENGTH, is_markdown


@pytest.mark.parametrize(
    "text",
    [
        "# Menu\n\n- soup\n- tea",
        "Call `brew()`:\n```python\nbrew()\n```",
        "| a | b |\n|---|:-:|\n| 1 | 2 |",
        "The **soup** is [here](https://example.com).",
    ],
)
def test_markdown_is_recognized(text: str) -> None:
    assert is_markdown(text)


@pytest.mark.parametrize(
    "text", ["", "Hello, Ada!", "- a\n- b", "# a comment\nprint(1)", "2 ** 3 ** 4", "```" + "x" * MAX_LENGTH]
)
def test_other_text_is_not(text: str) -> None:
    assert not is_markdown(text)
