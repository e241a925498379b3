"""The text of a message that a user edits, and the bytes that are sent for it.

A text that is JSON is sent on one line, without the white space around its lines and otherwise as it is written; any
other text is sent as it is, since a user may want to send what no client would.
"""

from typing import Any

from server_core.protocol.jsonrpc import RequestId, encode
from server_core.runtime.safe_json import parse_json
from workbench.model.forms.conversion import json_text
from workbench.model.references import with_references
from workbench.model.traffic.entry import parse_object

_SPACE = " \t\r"


def editable_text(data: bytes, request_id: RequestId) -> str:
    """Return a recorded message as a text to edit: indented, as :func:`repeated`; other bytes as text."""
    value = _again(data, request_id)
    return data.decode("utf-8", "backslashreplace") if value is None else json_text(value, indent=2)


def wire_bytes(text: str) -> bytes:
    """Return the bytes that are sent for a text."""
    data = text.encode("utf-8", "replace")
    try:
        parse_json(text)
    except ValueError:
        return data
    # No JSON text has a line break within a string, so white space at the ends of lines is in none.
    return "".join(line.strip(_SPACE) for line in text.split("\n")).encode("utf-8", "replace")


def repeated(data: bytes, request_id: RequestId) -> bytes:
    """Return a recorded message to be sent again: a request with another id, and a reference for a masked secret."""
    value = _again(data, request_id)
    try:
        return data if value is None else encode(value)
    except ValueError:
        return data


def _again(data: bytes, request_id: RequestId) -> dict[str, Any] | None:
    value = parse_object(data)
    if value is None:
        return None
    value = dict(with_references(value))
    return value | {"id": request_id} if "method" in value and "id" in value else value
