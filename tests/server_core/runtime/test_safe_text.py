"""Texts of what is not ours: read whatever they do, and cut where they are far too long."""

import asyncio

import pytest

from server_core.runtime.safe_text import LONGEST_WORD, MAX_CHARACTERS, call_safely, cut, safe_str


class PosingText(str):
    """A text that is another one each time."""

    def __len__(self) -> int:
        raise SystemExit(3)

    def __format__(self, spec: str) -> str:
        raise SystemExit(3)


def test_a_subclass_of_str_becomes_a_plain_text() -> None:
    class Speaking:
        def __str__(self) -> str:
            return PosingText("hello")

    text = safe_str(Speaking())
    assert (type(text), text) == (str, "hello")


@pytest.mark.parametrize("blank", [" ", "\n"])
def test_a_long_text_loses_its_middle_and_no_half_of_a_word_stays(blank: str) -> None:
    half = MAX_CHARACTERS // 2
    text = blank.join(["a" * (half - 10), "SECRET" * 10, "b" * 100, "SECRET" * 10, "c" * (half - 10)])
    shown = cut(text)
    assert "SEC" not in shown
    assert "RET" not in shown
    assert shown.startswith("aaa")
    assert shown.endswith("ccc")
    assert f"({len(text) - 2 * (half - 10) - 1} characters omitted)" in shown


def test_a_long_word_is_cut_too() -> None:
    shown = cut("a" * (MAX_CHARACTERS + LONGEST_WORD))
    assert len(shown) < MAX_CHARACTERS + 100
    assert f"({LONGEST_WORD:,} characters omitted)" in shown


def test_a_text_that_is_not_too_long_stays_as_it_is() -> None:
    assert cut("a b" * 3) == "a b" * 3


def test_any_exception_while_an_object_is_read_ends_at_the_boundary() -> None:
    class Broken:
        def __init__(self, error: BaseException) -> None:
            self._error = error

        @property
        def status(self) -> int:
            raise self._error

    for error in (ValueError(), RecursionError(), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()):
        broken = Broken(error)
        assert call_safely(lambda: broken.status, lambda raised: raised) is error  # noqa: B023
    assert call_safely(lambda: 1, lambda _: 2) == 1
