"""What calls tell of their caller in `_meta`, as people type it: `team=beans region="far north"`."""

import shlex
from collections.abc import Iterable, Mapping


def read_facts(text: str) -> dict[str, str]:
    """Return the facts that a line tells: words of the form KEY=VALUE, in quotes where there are blanks.

    Raises:
        ValueError: when it cannot be read; the message says why, and what to write.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error}: write KEY=VALUE, in quotes where there are blanks.") from None
    return facts_in(words)


def facts_in(words: Iterable[str]) -> dict[str, str]:
    """Return the facts of words of the form KEY=VALUE.

    Raises:
        ValueError: when a word is none, or its key belongs to the protocol.
    """
    facts: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not (key and sign):
            raise ValueError(f"{word!r} tells nothing: write KEY=VALUE.")
        if "/" in key or key == "progressToken":
            raise ValueError(f"{key!r} belongs to the protocol; tools are not shown it.")
        facts[key] = value
    return facts


def facts_text(facts: Mapping[str, str]) -> str:
    """Return facts as :func:`read_facts` reads them."""
    return shlex.join(f"{key}={value}" for key, value in facts.items())
