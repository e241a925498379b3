"""Signed claims are verified unchanged, or refused."""

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server_core.runtime.signing import InvalidSignature, sign, verify

KEY = "k" * 32


def test_signed_claims_are_verified() -> None:
    assert verify(KEY, sign(KEY, {"a": [1, "ä"]}, 60))["a"] == [1, "ä"]


def test_a_token_is_one_that_every_library_reads() -> None:
    assert jwt.decode(sign(KEY, {"sub": "x"}, 60), KEY, ["HS256"])["sub"] == "x"


def test_time_ends() -> None:
    with pytest.raises(InvalidSignature, match="has expired"):
        verify(KEY, sign(KEY, {}, -1))


@given(st.text())
def test_no_other_text_is_accepted(text: str) -> None:
    with pytest.raises(InvalidSignature):
        verify(KEY, text)


@given(st.integers(0, 200), st.characters(codec="ascii"))
def test_a_changed_character_is_noticed(place: int, character: str) -> None:
    token = sign(KEY, {"a": 1}, 60)
    place %= len(token)
    changed = token[:place] + character + token[place + 1 :]
    if changed != token:
        with pytest.raises(InvalidSignature):
            verify(KEY, changed)
