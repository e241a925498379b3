"""Texts that are clearly Markdown, and others."""

from tests.tables import each_row
from workbench.model.markdown_text import MAX_LENGTH, is_markdown


@each_row(
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


@each_row("text", ["", "Hello, Ada!", "- a\n- b", "# a comment\nprint(1)", "2 ** 3 ** 4", "```" + "x" * MAX_LENGTH])
def test_other_text_is_not(text: str) -> None:
    assert not is_markdown(text)
