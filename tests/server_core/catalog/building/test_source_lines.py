"""Where something is written: the line of a parameter, of a return type, of a `def`."""

import functools
import linecache
from typing import Any

from server_core.catalog.building.source_lines import RETURN, source_of, source_of_part
from tests.tables import each_row


def plain(
    first: int,
    *rest: int,
    last: str = "last",
    **more: int,
) -> dict[str, int]:
    """Has a signature of several lines."""
    return {}


async def awaited(
    self: int,
) -> int:
    return 1


def line_of(function: Any, part: str) -> str:
    source = source_of_part(function, part)
    assert source is not None
    assert source.file == __file__
    return linecache.getline(source.file, source.line).strip()


def test_a_part_of_a_signature_has_its_own_line() -> None:
    for function, part, line in (
        (plain, "first", "first: int,"),
        (plain, "rest", "*rest: int,"),
        (plain, "last", 'last: str = "last",'),
        (plain, "more", "**more: int,"),
        (plain, RETURN, ") -> dict[str, int]:"),
        (plain, "nothing", "def plain("),
        (awaited, "self", "self: int,"),
        (functools.partial(plain, 1), "last", 'last: str = "last",'),
    ):
        assert line_of(function, part) == line


def test_an_indented_method_has_its_own_line() -> None:
    class Shop:
        def sell(
            self,
            count: int,
        ) -> None: ...

    assert line_of(Shop().sell, "count") == "count: int,"


def decorated(**arguments: object) -> Any:
    return lambda function: function


@decorated(timeout=3)
@decorated(
    name="x",
    retries=[
        1,
    ],
)
def marked(
    count: int,
) -> None: ...


@each_row(
    ("part", "line"),
    [
        ("@timeout", "@decorated(timeout=3)"),
        ("@name", 'name="x",'),
        ("@retries", "retries=["),
        ("@ui", "def marked("),
        ("count", "count: int,"),
    ],
)
def test_an_argument_of_a_decorator_has_its_own_line(part: str, line: str) -> None:
    assert line_of(marked, part) == line


def test_a_function_that_cannot_be_parsed_alone_has_its_first_line() -> None:
    choose = [lambda a: a, "not code that stands alone"][0]
    assert line_of(choose, "a").startswith("choose = [lambda a")


def test_a_function_not_written_in_python_has_no_position() -> None:
    assert source_of(len) is None
    assert source_of_part(len, "obj") is None


def test_a_function_from_no_file_has_its_first_line() -> None:
    names: dict[str, Any] = {}
    exec("\ndef made(a): ...", names)
    source = source_of_part(names["made"], "a")
    assert source is not None
    assert (source.file, source.line) == ("<string>", 2)
