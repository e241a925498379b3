"""JSON of untrusted origin: every failure to parse or to write it is a ValueError.

The `json` module raises RecursionError for a text or a value that is nested too deeply, and TypeError for a value that
has no JSON form.
"""

import json
from typing import Any


class NestingError(ValueError):
    """A JSON text or value that is nested too deeply."""


def parse_json(text: str | bytes, **options: Any) -> Any:
    """Return the value of a JSON text; the options are those of :func:`json.loads`."""
    try:
        return json.loads(text, **options)
    except RecursionError as error:
        raise NestingError("it is nested too deeply") from error


def parse_json_or_none(text: str | bytes) -> Any:
    """Return the value of a JSON text; None when it is not JSON."""
    try:
        return parse_json(text)
    except ValueError:
        return None


def dump_json(value: Any, **options: Any) -> str:
    """Return the JSON text of a value; the options are those of :func:`json.dumps`."""
    try:
        return json.dumps(value, **options)
    except RecursionError as error:
        raise NestingError("it is nested too deeply") from error
    except TypeError as error:
        raise ValueError(str(error)) from error
