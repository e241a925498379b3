"""The tools, called as the plain functions that they are."""

from datetime import date
from typing import Any, Literal

import pytest
from tools.asking import Dessert, choose_dessert, name_dish
from tools.basics import add, greet
from tools.kitchen import brew, order_dish, print_receipt
from tools.suppliers import order_beans
from tools.tables import Contact, Guest, Seating, book_table
from tools.text import count_words

from server_core.errors import RetryableToolError
from server_core.execution.asking import ElicitResult


def test_a_greeting_names_the_guest() -> None:
    assert greet("Ada") == "Hello, Ada!"
    assert greet("Ada", style="formal").startswith("Good day, Ada.")


def test_numbers_are_added() -> None:
    assert add(2, 3) == 5


def test_words_are_counted_whatever_their_case() -> None:
    count = count_words("Tea for two, and two for tea", top=2)
    assert (count.words, count.different) == (7, 4)
    assert set(count.most_common.values()) == {2}


def test_a_text_without_words_counts_as_none() -> None:
    assert count_words("... !").words == 0


async def test_brewing_reports_every_cup(fake_context: Any) -> None:
    context = fake_context()
    assert await brew(context, cups=3, seconds_per_cup=0) == "3 cups are ready."
    assert context.reported == [(1, 3), (2, 3), (3, 3)]


def test_what_is_sold_out_is_an_error_with_a_hint() -> None:
    with pytest.raises(RetryableToolError) as raised:
        order_dish("cheesecake")
    assert "soup, quiche" in (raised.value.additional_prompt_content or "")
    assert raised.value.can_retry


def test_a_receipt_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_receipt(["soup", "coffee"], 6.9) == "Printed 2 lines."
    assert "total 6.90 EUR" in capsys.readouterr().out


def test_a_booking_names_every_guest_and_diet() -> None:
    booking = book_table(
        Contact(name="Ada", email="ada@example.org"),
        date(2030, 5, 17),
        [Guest(name="Ada"), Guest(name="Grace", diet="nuts")],
        seating=Seating.TERRACE,
    )
    assert booking.guests == ["Ada", "Grace"]
    assert booking.table == 22
    assert booking.note == "Grace: no nuts"


async def test_a_guest_who_accepts_gets_dessert(fake_context: Any) -> None:
    answer = ElicitResult("accept", value=Dessert(dessert="sorbet", spoons=2))
    assert await choose_dessert(fake_context(answer)) == "One sorbet with 2 spoon(s)."


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_guest_who_does_not_answer_gets_none(fake_context: Any, action: Literal["decline", "cancel"]) -> None:
    assert await choose_dessert(fake_context(ElicitResult(action))) == "No dessert today."


async def test_the_model_names_the_dish(fake_context: Any) -> None:
    assert await name_dish(fake_context(reply=" Green Cloud\n"), ["spinach"]) == "On the menu today: Green Cloud"


def test_an_order_is_signed_and_never_tells_the_key(fake_context: Any) -> None:
    context = fake_context(secrets={"SUPPLIER_KEY": "s3cret-key"})
    text = order_beans(context, 5)
    assert "beans:5kg" in text
    assert "s3cret-key" not in text
