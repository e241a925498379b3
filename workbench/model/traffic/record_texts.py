"""What progress notifications, log messages and HTTP requests of tools report, without what only programs need."""

from typing import Any

from workbench.model.describe import duration, json_line, size
from workbench.model.json_members import finite, text_in

_MAX_NUMBER = 20
_MAX_DATA = 2000


def progress_text(params: dict[str, Any]) -> str:
    """Return "3/15 Grinding"; the token is left out, since the entry belongs to its call."""
    progress, total = json_line(params.get("progress"), _MAX_NUMBER), params.get("total")
    count = progress if total is None else f"{progress}/{json_line(total, _MAX_NUMBER)}"
    return f"{count} {text_in(params, 'message')}".rstrip()


def log_text(params: dict[str, Any]) -> str:
    """Return "logger: text", or the text alone."""
    data, logger = params.get("data"), text_in(params, "logger")
    text = data if isinstance(data, str) else json_line(data, _MAX_DATA)
    return f"{logger}: {text}" if logger else text


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
