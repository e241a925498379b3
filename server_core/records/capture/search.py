"""Search for a text in the messages of captures, without regard to the case of ASCII letters.

A text of a message is JSON, so it is also searched as JSON writes it: with its quotes and line breaks escaped, and with
its other than ASCII characters escaped or not.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_schema import COLUMNS, from_row
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Record

SECONDS = 10.0
"""The time limit for one capture."""
CONTEXT = 40
"""How many characters are shown before and after a match."""


@dataclass(frozen=True, slots=True)
class CaptureMatch:
    """A record of a capture that contains the text."""

    path: Path
    record: Record
    before: str
    match: str
    after: str


def search_capture(path: Path, text: str, limit: int) -> Iterator[CaptureMatch]:
    """Yield the records with a text, in order, at most so many; ConfigurationError if the capture cannot be read."""
    forms = _forms(text)
    condition = " OR ".join(["CAST(data AS TEXT) LIKE ? ESCAPE '\\'"] * len(forms))
    query = f"SELECT {COLUMNS} FROM records WHERE {condition} ORDER BY seq LIMIT ?"
    values = (*(f"%{_pattern(form)}%" for form in forms), limit)
    with open_capture(path, SECONDS) as capture:
        try:
            with closing(capture.query(query, values)) as rows:
                for row in rows:
                    record = from_row(row)
                    yield CaptureMatch(path, record, *_excerpt(record.data.decode("utf-8", "replace"), forms))
        except (sqlite3.Error, ValueError) as error:
            raise ConfigurationError(f"{path} was searched in part: {error}.") from error


def _forms(text: str) -> list[str]:
    written = [text, *(json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (False, True))]
    return list(dict.fromkeys(written))


def _pattern(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _excerpt(data: str, forms: list[str]) -> tuple[str, str, str]:
    """Return the text before the first match, the match, and the text after it."""
    lowered = data.lower()
    # Lower case may be longer than upper case, which would shift the place.
    searched = lowered if len(lowered) == len(data) else data
    places = [(searched.find(form.lower()), len(form)) for form in forms]
    start, length = min((place for place in places if place[0] >= 0), default=(0, 0))
    end = start + length
    before, after = data[max(0, start - CONTEXT) : start], data[end : end + CONTEXT]
    lead, rest = "…" if start > CONTEXT else "", "…" if end + CONTEXT < len(data) else ""
    return lead + before, data[start:end], after + rest
