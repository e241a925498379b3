"""How a message may begin: each method of a revision, and a call of each offer of the server, with placeholders."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from server_core.protocol.methods import NOTIFICATIONS, Side, served_methods
from server_core.protocol.revisions import Revision
from server_core.runtime.safe_json import parse_json
from workbench.model.catalog import Offer, OfferKind
from workbench.model.forms.form import Form

_REFERENCE = {"type": "ref/prompt", "name": "‹prompt›"}

_PARAMS: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "‹revision›",
        "capabilities": {},
        "clientInfo": {"name": "‹name›", "version": "1"},
    },
    "tools/call": {"name": "‹tool›", "arguments": {}},
    "resources/read": {"uri": "‹URI›"},
    "resources/subscribe": {"uri": "‹URI›"},
    "resources/unsubscribe": {"uri": "‹URI›"},
    "prompts/get": {"name": "‹prompt›", "arguments": {}},
    "completion/complete": {"ref": _REFERENCE, "argument": {"name": "‹argument›", "value": ""}},
    "logging/setLevel": {"level": "info"},
    "subscriptions/listen": {"notifications": {"toolsListChanged": True}},
    "tasks/get": {"taskId": "‹task›"},
    "tasks/result": {"taskId": "‹task›"},
    "tasks/update": {"taskId": "‹task›", "inputResponses": {}},
    "tasks/cancel": {"taskId": "‹task›"},
    "notifications/cancelled": {"requestId": "‹request id›", "reason": "‹text›"},
    "notifications/progress": {"progressToken": "‹token›", "progress": 1},
}


_CALLS = {
    OfferKind.TOOL: "tools/call",
    OfferKind.RESOURCE: "resources/read",
    OfferKind.PROMPT: "prompts/get",
}


@dataclass(frozen=True, slots=True)
class Beginning:
    """A message to begin with."""

    method: str
    offer: Offer | None = None  # what it calls, for a call of an offer

    @property
    def label(self) -> str:
        return self.method if self.offer is None else f"{self.method} {self.offer.name}"

    @property
    def is_notification(self) -> bool:
        return self.method in NOTIFICATIONS

    def skeleton(self) -> tuple[dict[str, Any] | None, dict[str, bool]]:
        """Return the params, None for none, and their placeholders, with whether each stands for text."""
        if self.offer is None:
            return _PARAMS.get(self.method), dict.fromkeys(_placeholders(_PARAMS.get(self.method)), True)
        if self.offer.kind is OfferKind.RESOURCE:
            return {"uri": self.offer.name}, {}
        arguments, placeholders = Form(self.offer.schema).to_skeleton()
        return {"name": self.offer.name, "arguments": parse_json(arguments)}, placeholders


def beginnings(offers: Sequence[Offer], revision: Revision) -> list[Beginning]:
    """Return how a message of a client may begin in a revision: a call of each offer, then each method."""
    calls = [Beginning(_CALLS[offer.kind], offer) for offer in offers if offer.kind in _CALLS]
    return [*calls, *map(Beginning, [*served_methods(Side.SERVER, revision), *client_notifications(revision)])]


def client_notifications(revision: Revision) -> list[str]:
    """Return the notifications that a client may send in a revision."""
    return [
        name
        for name, method in NOTIFICATIONS.items()
        if Side.CLIENT in method.senders and revision.date in method.revisions
    ]


def _placeholders(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _placeholders(member)
    elif isinstance(value, str) and value.startswith("‹"):
        yield value
