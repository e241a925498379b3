"""Docstrings: the first paragraph, and what is said of parameters."""

import pytest

from server_core.catalog.docstrings import Docstring, read_docstring


@pytest.mark.parametrize(
    ("text", "docstring"),
    [
        (None, Docstring()),
        ("", Docstring()),
        ("  One line.  ", Docstring("One line.")),
        ("One\n    paragraph.\n\n    Another.", Docstring("One paragraph.")),
        ("\nArgs:\n    a: x", Docstring("", {"a": "x"})),
        (
            """Do it.

            Args:
                a: the first
                b (int, optional): the second,
                    on two lines: yes
                *rest: the others

                c: after an empty line
            Returns:
                d: not a parameter
            """,
            Docstring(
                "Do it.",
                {
                    "a": "the first",
                    "b": "the second, on two lines: yes",
                    "rest": "the others",
                    "c": "after an empty line",
                },
            ),
        ),
        (
            "Do it.\n\n:param a: the first\n:param int b: the second,\n    longer\n:returns: nothing",
            Docstring("Do it.", {"a": "the first", "b": "the second, longer"}),
        ),
        ("Do it.\nArgs:\n  a: x", Docstring("Do it.", {"a": "x"})),
        ("Do it: at 5:30.\n\nNote: this is text.", Docstring("Do it: at 5:30.")),
    ],
)
def test_a_docstring_is_taken_apart(text: str | None, docstring: Docstring) -> None:
    assert read_docstring(text) == docstring
