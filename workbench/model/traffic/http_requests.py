"""The HTTP requests that tools make, as text."""

from typing import Any

from workbench.model.describe import duration, size
from workbench.model.json_members import finite, text_in

HTTP_EVENT = "http_request_ended"
"""The event of such a request."""


def http_text(event: dict[str, Any]) -> str:
    """Return "GET 200 · 31 ms · 1.2 KB · https://example.com/menu", or the error in the place of the status."""
    status, milliseconds, length = event.get("status"), finite(event.get("ms")), event.get("bytes")
    outcome = str(status) if type(status) is int else text_in(event, "error") or "no response"
    facts = [f"{text_in(event, 'method')} {outcome}".lstrip()]
    if milliseconds is not None:
        facts.append(duration(milliseconds / 1000))
    if type(length) is int:
        facts.append(size(length))
    return " · ".join([*facts, text_in(event, "url")]).removesuffix(" · ")
