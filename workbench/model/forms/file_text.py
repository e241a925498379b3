"""How a file is named in a text field: `@notes.txt`; a text that begins with @ is typed with another @ before it.

A text of several lines is never the name of a file.
"""


def file_path(text: str) -> str | None:
    """Return the path of the file that a typed text names; None if the text is the value itself."""
    if len(text) < 2 or not text.startswith("@") or text.startswith("@@") or "\n" in text:
        return None
    return text[1:].strip() or None


def literal_value(text: str) -> str:
    """Return the value of a typed text that names no file."""
    return text[1:] if text.startswith("@@") else text


def literal_text(value: str) -> str:
    """Return how a value is typed, so that it names no file."""
    return "@" + value if value.startswith("@@") or file_path(value) is not None else value
