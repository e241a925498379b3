"""What a user has added to the records of a capture: a short text for each, which the terminal reads and writes.

Like the labels, they are metadata in the capture itself, so a copy of the file has them as well.
"""

from collections.abc import Mapping
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.records.capture.labels import write_meta

MAX_ANNOTATIONS = 1_000
"""How many records of a capture have an annotation: all of them are read with its metadata."""

_PREFIX = "annotation:"
# SQLite's largest number has as many digits.
_MAX_DIGITS = 19


def annotations_in(meta: Mapping[str, str]) -> dict[int, str]:
    """Return the annotations in the metadata of a capture, by the numbers of the records."""
    numbers = ((key.removeprefix(_PREFIX), text) for key, text in meta.items() if key.startswith(_PREFIX) and text)
    return {int(number): text for number, text in numbers if number.isdecimal() and len(number) <= _MAX_DIGITS}


def set_annotation(path: Path, seq: int, text: str) -> None:
    """Set the annotation of a record; an empty text removes it.

    Raises:
        ConfigurationError: when the capture cannot be changed, or has too many annotations.
    """

    def check(meta: Mapping[str, str]) -> None:
        annotations = annotations_in(meta)
        if text and seq not in annotations and len(annotations) >= MAX_ANNOTATIONS:
            raise ConfigurationError(f"{path} has {MAX_ANNOTATIONS:,} marks and comments; more are not possible.")

    write_meta(path, {f"{_PREFIX}{seq}": text}, check)
