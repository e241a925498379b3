"""The text above a form: the name of an offer, its description, and hints for running it."""

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from workbench.model.describe import plural
from workbench.model.offers import Offer, OfferKind
from workbench.model.short_text import escaped, escaped_lines
from workbench.model.tool_facts import manner
from workbench.tui.colours import KEY, MUTED, WARN

if TYPE_CHECKING:
    from collections.abc import Collection

_HINTS = {
    "readOnlyHint": (True, "read-only"),
    "destructiveHint": (True, "destructive"),
    "idempotentHint": (True, "idempotent"),
    "openWorldHint": (True, "reaches other systems"),
}


class OfferHead(Static):
    """Name, description and hints of an offer."""

    DEFAULT_CSS = """
    OfferHead { height: auto; max-height: 8; padding: 0 1; }
    """

    def show(self, offer: Offer | None, lacking: "Collection[str]" = ()) -> None:
        """Show an offer.

        Args:
            offer: the offer; None to show nothing.
            lacking: what a call of the offer still lacks, a line each.
        """
        self.update(_head(offer, lacking) if offer is not None else Content("Nothing is selected."))


def _head(offer: Offer, lacking: "Collection[str]") -> Content:
    parts: list[tuple[str, str]] = [(escaped(offer.name), KEY)]
    if offer.title != offer.name:
        parts.append((f"  {escaped(offer.title)}", MUTED))
    if offer.kind is not OfferKind.TOOL:
        parts.append((f"  {offer.kind.value}", MUTED))
    if hints := _hints(offer):
        parts.append((f"  {hints}", WARN))
    # A long description may be cut; these lines are not.
    parts += [(f"\n! {escaped(line)}", WARN) for line in lacking]
    if description := escaped_lines(offer.description).strip():
        parts.append((f"\n{description}", ""))
    if mime := offer.definition.get("mimeType"):
        parts.append((f"\n{escaped(str(mime))}", MUTED))
    examples = f"{plural(len(offer.examples), 'example')}: f4" if offer.examples else ""
    if run := " · ".join(filter(None, (manner(offer.definition), examples))):
        parts.append((f"\n{escaped(run)}", MUTED))
    return Content.assemble(*parts)


def _hints(offer: Offer) -> str:
    annotations = offer.definition.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    return " · ".join(text for key, (value, text) in _HINTS.items() if hints.get(key) is value)
