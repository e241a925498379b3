"""The text of what is not ours: an author's objects run code of their own when they are asked for it."""

MOST_CHARACTERS = 100_000
"""How long a text about a failure may be; of a longer one both ends are kept."""
LONGEST_WORD = 4096


def readable(value: object) -> str:
    """Return a value's text, whatever its own code does when asked for it; one that is far too long is cut."""
    try:
        return cut(str.__str__(str(value)))  # No subclass of `str` with a mind of its own.
    except BaseException as error:
        return f"(its text cannot be read: __str__ raised {type(error).__name__})"


def class_name(kind: type) -> str:
    """Return the name of a class, past the code of its metaclass."""
    found: str = vars(type)["__name__"].__get__(kind)
    return cut(found)


def cut(text: str) -> str:
    """Return a text, without its middle where it is far too long; half a word, which may be half a secret, goes too."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    head, tail = text[:half], text[-half:]
    end = max(head.rfind(mark, half - LONGEST_WORD) for mark in " \n")
    starts = [at for mark in " \n" if (at := tail.find(mark, 0, LONGEST_WORD)) != -1]
    head, tail = head[: end if end != -1 else half], tail[min(starts, default=0) :]
    return f"{head}\n... ({len(text) - len(head) - len(tail):,} characters are left out) ...\n{tail}"
