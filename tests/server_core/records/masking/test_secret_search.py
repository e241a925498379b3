"""The quick search for what may be in a text misses nothing that the full one finds."""

import base64
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server_core.records.masking import secret_search
from server_core.records.masking.masked_secret import MaskedSecret
from server_core.records.masking.readings import MAX_LAYERS
from server_core.records.masking.secret_search import SecretSearch
from tests.server_core.records.masking.test_secret_forms import FORMS, LAYERS, SECRETS, escape_in_layers
from tests.tables import each_row

VALUES = (*SECRETS, "hunter2-longer-pass", "12345", "s3same", "pass%41word-long", "ends-in-slash\\")
NOISE = st.text('\\\\\\%%%ux0127245cdeEf"{}[],: é+/=', max_size=12) | st.sampled_from(
    ("%20", "%2F", "%25", "\\u0022", "\\\\u0041", "\\x41", "%5Cu00", "https://example.org/?a=b%20c", '{"a": "b"}')
)


class ThoroughSearch(SecretSearch):
    """Searches for all values in whatever there is."""

    def _candidates(self, data: bytes) -> Collection[MaskedSecret]:
        return self._all


def spellings_of(value: str) -> st.SearchStrategy[str]:
    """Return a value in one of its forms, in layers of encodings."""
    forms = st.sampled_from(list(FORMS.values())).map(lambda form: form(value))
    return st.builds(escape_in_layers, forms, st.lists(st.sampled_from(list(LAYERS)), max_size=3))


def masks_alike(values: list[str], text: str, is_json: bool = False) -> bool:
    """Return whether a text is masked as it is when all values are searched for."""
    data = (LAYERS["JSON"](text).join(('{"a": "', '"}')) if is_json else text).encode()
    secrets = [MaskedSecret(f"S{number}", value) for number, value in enumerate(values)]
    return SecretSearch(secrets).mask(data) == ThoroughSearch(secrets).mask(data)


PIECES = st.lists(st.sampled_from(VALUES).flatmap(spellings_of) | NOISE, max_size=5)


@pytest.mark.parametrize("padding", [0, secret_search.SHORT_TEXT], ids=["short", "long"])
@pytest.mark.parametrize("few", [0, secret_search.FEW_ANCHORS], ids=["many anchors", "few anchors"])
@given(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True), PIECES, st.booleans())
def test_text_that_the_quick_search_skips_contains_nothing_to_mask(
    padding: int, few: int, values: list[str], pieces: list[str], is_json: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secret_search, "FEW_ANCHORS", few)
        assert masks_alike(values, "x" * padding + "".join(pieces), is_json)


@each_row("value", VALUES)
def test_every_form_is_masked_in_every_layer(value: str) -> None:
    for padding in (
        0,
        secret_search.SHORT_TEXT,
    ):
        shifted = (base64.b64encode(b"\0" * before + value.encode()).decode() for before in (1, 2))
        forms = [*(form(value) for form in FORMS.values()), *shifted]
        for text in [*forms, *(layer(form) for layer in LAYERS.values() for form in forms)]:
            assert masks_alike([value], "-" * padding + text), text


def test_an_unfinished_value_is_held_back_from_its_start_at_any_depth_of_escapes() -> None:
    for layers in range(MAX_LAYERS):
        escape = "%" + "25" * (layers - 1) + "5C" if layers else "\\"
        begun = "token: ", "".join(f"{escape}u{ord(character):04x}" for character in "hunter2-longer-pass")[:-1]
        search = SecretSearch([MaskedSecret("S", "hunter2-longer-pass")])
        assert search.settled_length("".join(begun).encode()) == len(begun[0])
