"""Secrets are replaced in every form in which they travel."""

import base64
import json
from urllib.parse import quote

import pytest

from server_core.masking import Masker

SECRET = 'pä"ss/word+1'


@pytest.mark.parametrize(
    "form",
    [
        SECRET.encode(),
        json.dumps(SECRET)[1:-1].encode(),
        json.dumps(SECRET, ensure_ascii=False)[1:-1].encode(),
        quote(SECRET, safe="").encode(),
        base64.b64encode(SECRET.encode()),
        base64.urlsafe_b64encode(SECRET.encode()),
    ],
)
def test_each_form_of_a_secret_is_masked(form: bytes) -> None:
    assert Masker({"KEY": SECRET}).mask(b"a " + form + b" b") == b"a <secret KEY> b"


def test_json_stays_json() -> None:
    masked = Masker({"KEY": SECRET, "PIN": "12345"}).mask(json.dumps({"key": SECRET, "pin": 12345}).encode())
    assert json.loads(masked) == {"key": "<secret KEY>", "pin": 0}


def test_digits_inside_of_a_longer_number_are_not_taken_for_a_secret() -> None:
    assert Masker({"PIN": "12345"}).mask(b"9123456") == b"9123456"


def test_a_value_too_short_to_be_a_secret_is_left_alone() -> None:
    assert Masker({"KEY": "abc"}).mask(b"abcabc") == b"abcabc"


def test_a_replaced_value_stays_masked_because_it_may_be_in_flight() -> None:
    masker = Masker({"KEY": "old-value"})
    masker.set({"KEY": "new-value"})
    assert masker.mask(b"old-value new-value") == b"<secret KEY> <secret KEY>"


def test_of_two_secrets_where_one_begins_the_other_the_longer_is_masked_whole() -> None:
    assert Masker({"A": "token", "B": "token-and-more"}).mask(b"token-and-more") == b"<secret B>"


def test_text_that_is_no_utf8_passes_through() -> None:
    assert Masker({"KEY": "value"}).mask(b"\xff value \xfe") == b"\xff <secret KEY> \xfe"
