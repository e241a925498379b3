"""The caller's attributes that calls send in `_meta`, as users type them: `team=beans region="far north"`."""

import shlex
from collections.abc import Iterable, Mapping


def read_facts(text: str) -> dict[str, str]:
    """Return the attributes in a line: words of the form KEY=VALUE, with quotes around blanks.

    Raises:
        ValueError: when the line is invalid; the message explains why, and what to write.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error}: write KEY=VALUE, in quotes if it has spaces.") from None
    return facts_in(words)


def facts_in(words: Iterable[str]) -> dict[str, str]:
    """Return the attributes in words of the form KEY=VALUE.

    Raises:
        ValueError: when a word is invalid, or its key is reserved by the protocol.
    """
    facts: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not (key and sign):
            raise ValueError(f"{word!r} has no value: write KEY=VALUE.")
        if "/" in key or key == "progressToken":
            raise ValueError(f"{key!r} is reserved by the protocol; tools do not receive it.")
        facts[key] = value
    return facts


def facts_text(facts: Mapping[str, str]) -> str:
    """Return attributes in the form that :func:`read_facts` reads."""
    return shlex.join(f"{key}={value}" for key, value in facts.items())
