"""The text of what is not ours: an author's objects run code of their own when they are asked for it."""

MOST_CHARACTERS = 100_000
"""How long a text about a failure may be; of a longer one both ends are kept."""


def readable(value: object) -> str:
    """Return a value's text, whatever its own code does when asked for it; one that is far too long is cut."""
    try:
        return cut(str(value))
    except BaseException as error:
        return f"(its text cannot be read: __str__ raised {type(error).__name__})"


def cut(text: str) -> str:
    """Return a text, without its middle where it is far too long."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]}\n... ({len(text) - 2 * half:,} characters are left out) ...\n{text[-half:]}"
