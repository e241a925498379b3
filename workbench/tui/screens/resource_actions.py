"""Subscriptions to resources in the tools pane: the key, the marks, and the content that follows the updates."""

import time
from collections.abc import Callable

from textual.timer import Timer

from workbench.model.catalog import Offer, OfferKind
from workbench.model.describe import plural
from workbench.model.history import CallRun
from workbench.tui.pane import Pane
from workbench.tui.widgets.outcome import Outcome
from workbench.workspace.resource_updates import ResourceUpdates
from workbench.workspace.runs import uri_of

_REFRESH_S = 1.0
"""The shortest time between two reads of the shown resource: a server may report a change of it at each read."""


class ResourceActions:
    """Subscribes to the resource in front, and reads it again when it was updated."""

    def __init__(self, pane: Pane, outcome: Outcome, repeat: Callable[[CallRun], None]) -> None:
        self._pane = pane
        self._outcome = outcome
        self._repeat = repeat
        self._timer: Timer | None = None

    @property
    def _updates(self) -> ResourceUpdates:
        return self._pane.workspace.resources

    def why_not(self, action: str, offer: Offer | None) -> str | None:
        if action != "watch" or offer is None or offer.kind not in (OfferKind.RESOURCE, OfferKind.TEMPLATE):
            return None
        if self._uri(offer) is None:
            return "Read a resource of the template first."
        return self._updates.why_not()

    async def toggle(self, offer: Offer | None) -> None:
        """Subscribe to the resource, or unsubscribe."""
        if (uri := self._uri(offer)) is None:
            return
        is_subscribed = await self._pane.result_of(self._updates.toggle(uri))
        if is_subscribed is not None:
            text = "Subscribed to" if is_subscribed else "No longer subscribed to"
            self._pane.notify(f"{text} {uri}.", title="subscription", markup=False)

    def update(self) -> None:
        """Show when the shown resource was updated, and read it again if it was."""
        run = self._outcome.run
        subscription = None if run is None else self._updates.subscriptions.get(uri_of(run) or "")
        if subscription is None:
            self._outcome.notes.show_update("")
            return
        text = "subscribed; no update yet"
        if subscription.updated is not None:
            clock = time.strftime("%H:%M:%S", time.localtime(subscription.updated))
            text = f"updated {clock} · {plural(subscription.count, 'update')}"
        self._outcome.notes.show_update(text)
        if subscription.is_new and self._timer is None and not self._outcome.is_busy:
            self._timer = self._pane.set_timer(_REFRESH_S, self._end_pause)
            if run is not None:
                self._repeat(run)

    def _end_pause(self) -> None:
        self._timer = None
        self.update()

    def _uri(self, offer: Offer | None) -> str | None:
        """Return the URI of a resource, or that of the last read of a template."""
        if offer is not None and offer.kind is OfferKind.RESOURCE:
            return offer.name
        run = self._outcome.run
        is_shown = run is not None and offer is not None and (run.kind, run.tool) == offer.key
        return uri_of(run) if run is not None and is_shown else None
