"""What a recorded request calls, and with which arguments, so that it can be made again."""

from typing import Any

from workbench.model.catalog import OfferKind
from workbench.model.json_members import object_in, text_in
from workbench.model.references import with_references
from workbench.model.saved_calls import SavedCall
from workbench.model.traffic.entry import parse_object

CALLS = {
    "tools/call": (OfferKind.TOOL, "name"),
    "prompts/get": (OfferKind.PROMPT, "name"),
    "resources/read": (OfferKind.RESOURCE, "uri"),
}
"""The methods that call something: its kind, and the param that names it."""


def recorded_call(method: str, params: dict[str, Any]) -> SavedCall | None:
    """Return the call of a request, with a reference for each masked secret; None for other methods."""
    if method not in CALLS:
        return None
    kind, member = CALLS[method]
    name = text_in(params, member)
    return SavedCall(name, kind, name, with_references(object_in(params, "arguments")), is_recorded=True)


def call_in(data: bytes) -> SavedCall | None:
    """Return the call in the bytes of a request; None if there is none."""
    message = parse_object(data) or {}
    return recorded_call(text_in(message, "method"), object_in(message, "params"))
