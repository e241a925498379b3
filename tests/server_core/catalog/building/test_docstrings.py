"""Docstrings: the descriptions of parameters, and everything else."""

from server_core.catalog.building.docstrings import Docstring, read_docstring


def test_a_docstring_is_parsed() -> None:
    for text, docstring in (
        (None, Docstring()),
        ("", Docstring()),
        ("  One line.  ", Docstring("One line.")),
        (
            "One\n    paragraph.  \n\n\n    Another:\n\n    - a\n      - b",
            Docstring("One\nparagraph.\n\nAnother:\n\n- a\n  - b"),
        ),
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
                "Do it.\n\nReturns:\n    d: not a parameter",
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
            Docstring("Do it.\n\n:returns: nothing", {"a": "the first", "b": "the second, longer"}),
        ),
        (
            "Do it.\n\nArgs:\n    a: x\n\nNever twice.\n\nExamples:\n    do(a=1)",
            Docstring("Do it.\n\nNever twice.\n\nExamples:\n    do(a=1)", {"a": "x"}),
        ),
        ("Do it.\n\nParameters:\nas many as you like", Docstring("Do it.\n\nParameters:\nas many as you like")),
        ("Do it.\nArgs:\n  a: x", Docstring("Do it.", {"a": "x"})),
        ("Do it: at 5:30.\n\nNote: this is text.", Docstring("Do it: at 5:30.\n\nNote: this is text.")),
    ):
        assert read_docstring(text) == docstring
