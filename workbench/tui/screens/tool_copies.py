"""What is copied in the tools pane: of the part with the focus, the row under its cursor, or the whole of it."""

from typing import Any

from textual.widget import Widget

from workbench.model.catalog import Offer, OfferKind
from workbench.model.describe import json_text
from workbench.model.history import CallRun
from workbench.model.saved_calls import SavedCall
from workbench.tui.pane import Copied
from workbench.tui.widgets.call_history import CallHistory
from workbench.tui.widgets.diff_view import DiffView
from workbench.tui.widgets.log_view import LogView
from workbench.tui.widgets.offer_tree import OfferTree
from workbench.tui.widgets.outcome import Outcome

# The member of a call with the name of what is called.
_MEMBERS = {OfferKind.RESOURCE: "uri", OfferKind.TEMPLATE: "uriTemplate"}


def copied_at(focused: Widget | None, outcome: Outcome) -> Copied | None:
    """Return what `y` copies at a focus; the result of the call in view if the focus has nothing of its own."""
    match focused:
        case OfferTree():
            return _named(focused.saved_call or focused.offer)
        case CallHistory():
            return None if focused.run is None else _call(focused.run)
        case LogView() if focused.text:
            return Copied("The log of the call", focused.text)
        case DiffView():
            return Copied("The difference from the previous call", focused.text) if focused.text else None
        case _:
            return Copied("The result, as JSON,", outcome.as_json) if outcome.as_json else None


def _named(item: SavedCall | Offer | None) -> Copied | None:
    if item is None:
        return None
    if isinstance(item, SavedCall):
        return Copied(f"The name of the saved call {item.name}", item.name)
    has_uri = item.kind in _MEMBERS
    return Copied(f"The {'URI' if has_uri else 'name'} of the {item.kind} {item.label}", item.name)


def _call(run: CallRun) -> Copied:
    params: dict[str, Any] = {_MEMBERS.get(run.kind, "name"): run.tool}
    if run.arguments:
        params["arguments"] = run.arguments
    return Copied(f"Call {run.title} of {run.tool}, as JSON,", json_text(params, indent=2))
