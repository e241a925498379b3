"""The tools, called as the plain functions that they are: no server, no session."""

from datetime import date

import pytest
from tools.basics import add
from tools.kitchen import print_receipt
from tools.tables import Contact, Guest, Seating, book_table
from tools.text import count_words


def test_numbers_are_added() -> None:
    assert add(2, 3) == 5


def test_a_text_without_words_counts_as_none() -> None:
    assert count_words("... !").words == 0


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
