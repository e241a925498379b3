"""Typed text becomes a value, or an error that explains what is wrong with it."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.forms import conversion
from workbench.model.forms.conversion import ConversionError
from workbench.model.forms.shape import EnumChoice

CHOICES = [EnumChoice("r", "Red"), EnumChoice("g", "green"), EnumChoice(7, "7")]


@each_row(
    ("text", "value"),
    [
        ("12", 12),
        (" -3 ", -3),
        ("+5", 5),
        ("3.0", 3.0),
        ("1e3", 1000.0),
        ("123456789012345678901", 123456789012345678901),
    ],
)
def test_whole_numbers_are_read(text: str, value: float) -> None:
    read = conversion.integer(text)
    assert (read, type(read)) == (value, type(value))


@each_row("text", ["", "x", "1.5", "1_000", "0x10", "nan", "1e999", "9" * 5000, "١٢", "1 2"])
def test_a_number_that_is_not_whole_is_refused(text: str) -> None:
    with pytest.raises(ConversionError):
        conversion.integer(text)


@each_row(("text", "value"), [("1.5", 1.5), (".5", 0.5), ("2.", 2.0), ("-1e-3", -0.001), ("7", 7)])
def test_numbers_are_read(text: str, value: float) -> None:
    assert conversion.number(text) == value


@each_row("text", ["inf", "NaN", "1e400", "1,5", "--1"])
def test_an_invalid_number_is_refused(text: str) -> None:
    with pytest.raises(ConversionError):
        conversion.number(text)


@each_row(("text", "value"), [("true", True), (" YES ", True), ("1", True), ("off", False), ("No", False)])
def test_words_for_true_and_false_are_read(text: str, value: bool) -> None:
    assert conversion.boolean(text) is value


def test_other_words_are_neither_true_nor_false() -> None:
    with pytest.raises(ConversionError, match="true or false"):
        conversion.boolean("maybe")


@each_row(("text", "value"), [("Red", "r"), ("r", "r"), ("GREEN", "g"), ("7", 7)])
def test_a_choice_is_read_by_its_label_or_its_value(text: str, value: Any) -> None:
    assert conversion.choice(text, CHOICES) == value


def test_an_invalid_choice_is_refused_with_the_choices() -> None:
    with pytest.raises(ConversionError, match="Red, green, 7"):
        conversion.choice("blue", CHOICES)


@each_row(
    ("text", "message"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("hello", "put text in double quotes"),
        ('{"a": 1', "missing at the end"),
        ('{"a" 1}', "line 1, column 6"),
        ("[1,\n2,]", "line 2"),
        ("NaN", "not a JSON number"),
        ("[1e400]", "too large"),
        ("9" * 5000, "too many digits"),
        ("[" * 200 + "]" * 200, "nested deeper than 128"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_invalid_json_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        conversion.json_value(text)


@each_row(
    ("first", "second", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1, {"a": 0}], [1.0, {"a": 0.0}], True),
        ([1], [True], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ("1", 1, False),
        (None, None, True),
    ],
)
def test_values_are_compared_as_json_does(first: Any, second: Any, equal: bool) -> None:
    assert conversion.is_equal(first, second) is equal


def test_values_are_shown_as_text_that_is_safe() -> None:
    assert conversion.value_text("as it is") == "as it is"
    assert conversion.value_text({"é": [None, "\x1b"]}) == '{"é": [null, "\\u001b"]}'


def test_a_value_without_end_is_named() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert "nested too deeply" in conversion.json_text(deep)
