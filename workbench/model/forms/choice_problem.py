"""What is wrong with a typed text that is none of the choices: the choices, and which of them it is close to."""

import re
from collections.abc import Sequence

from server_core.runtime.suggestions import closest_name

# To compare a text with more labels takes too long at each key.
_MAX_COMPARED = 300

_WORDS = re.compile(r"\w+")


def choice_problem(text: str, labels: Sequence[str]) -> str:
    """Return what to do instead of typing a text."""
    close = _closest(text.strip(), labels)
    offer = f"choose one of {label_list(labels)}"
    return offer if close is None else f"did you mean {close}? Else {offer}"


def label_list(labels: Sequence[str], most: int = 10) -> str:
    """Return the labels of the choices; of many choices, the first."""
    listed = ", ".join(labels[:most])
    return listed if len(labels) <= most else f"{listed}, … {len(labels) - most} more"


def _closest(text: str, labels: Sequence[str]) -> str | None:
    """Return the label that is most like a text, or else has a word like it."""
    compared = labels[:_MAX_COMPARED]
    if (close := closest_name(text, compared)) is not None:
        return close
    by_word = {word.casefold(): label for label in reversed(compared) for word in _WORDS.findall(label)}
    word = closest_name(text, by_word, likeness=0.75)
    return None if word is None else by_word[word]
