"""The text of untrusted objects: converting an author's object to text runs the author's code."""

MAX_CHARACTERS = 100_000
"""The maximum length of a text about a failure; a longer text keeps only its two ends."""
LONGEST_WORD = 4096


def readable(value: object) -> str:
    """Return a value's text, whatever its `__str__` does; a text that is too long is cut."""
    try:
        return cut(str.__str__(str(value)))  # Not a subclass of `str`, whose methods may be overridden.
    except BaseException as error:
        return f"(its text cannot be read: __str__ raised {type(error).__name__})"


def class_name(kind: type) -> str:
    """Return the name of a class without running the code of its metaclass."""
    name: str = vars(type)["__name__"].__get__(kind)
    return cut(name)


def cut(text: str) -> str:
    """Return a text, without its middle when it is too long; cut between words, as half a word may be half a secret."""
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    head, tail = text[:half], text[-half:]
    end = max(head.rfind(mark, half - LONGEST_WORD) for mark in " \n")
    starts = [at for mark in " \n" if (at := tail.find(mark, 0, LONGEST_WORD)) != -1]
    head, tail = head[: end if end != -1 else half], tail[min(starts, default=0) :]
    return f"{head}\n... ({len(text) - len(head) - len(tail):,} characters omitted) ...\n{tail}"
