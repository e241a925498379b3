"""The resources that this terminal is subscribed to, in whatever session with the server, and their updates."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from server_core.errors import ConnectionFailed, WorkbenchError
from server_core.protocol.jsonrpc import Notification

if TYPE_CHECKING:
    from workbench.client.session import ClientSession

UPDATED = "notifications/resources/updated"


@dataclass(slots=True)
class ResourceSubscription:
    """What the server has reported about one resource."""

    count: int = 0  # of the updates
    updated: float | None = None  # when the last update arrived, in seconds since the epoch
    is_new: bool = False  # whether the resource was not read since


class ResourceUpdates:
    """The subscriptions, by URI; `on_change` is called after a change of them, and when an update has arrived."""

    def __init__(
        self, session: "Callable[[], ClientSession | None]", on_change: Callable[[], None], clock: Callable[[], float]
    ) -> None:
        self.subscriptions: dict[str, ResourceSubscription] = {}
        self._session = session
        self._on_change = on_change
        self._clock = clock

    def why_not(self) -> str | None:
        """Return why the server sends no updates of resources; None if it may."""
        session = self._session()
        if session is None:
            return "This terminal has no session with the server."
        resources = session.capabilities.get("resources")
        if not isinstance(resources, dict) or resources.get("subscribe") is not True:
            return "The server does not offer updates of resources (capability resources.subscribe)."
        return None

    async def toggle(self, uri: str) -> bool:
        """Subscribe to a resource, or unsubscribe, and return whether it is subscribed; WorkbenchError if refused."""
        session, is_subscribed = self._session(), uri not in self.subscriptions
        if session is not None:
            await (session.subscribe(uri) if is_subscribed else session.unsubscribe(uri))
        if is_subscribed:
            self.subscriptions[uri] = ResourceSubscription()
        else:
            self.subscriptions.pop(uri, None)
        self._on_change()
        return is_subscribed

    async def renew(self) -> None:
        """Subscribe again in a new session; a resource that the server refuses is no longer subscribed.

        If the session ends meanwhile, the subscriptions wait for the next one.
        """
        for uri in list(self.subscriptions):
            session = self._session()
            try:
                if session is not None:
                    await session.subscribe(uri)
            except ConnectionFailed:
                break
            except WorkbenchError:
                self.subscriptions.pop(uri, None)
            else:
                # It may have changed while there was no session.
                self._note_update(uri)
        self._on_change()

    def handle(self, notification: Notification) -> None:
        uri = notification.params.get("uri")
        if notification.method != UPDATED or not isinstance(uri, str):
            return
        # Source: server/resources, subscriptions: the URI may be that of a part of the resource.
        subscribed = [known for known in self.subscriptions if uri == known or uri.startswith(f"{known.rstrip('/')}/")]
        for known in subscribed:
            self._note_update(known)
        if subscribed:
            self._on_change()

    def note_read(self, uri: str) -> None:
        """Note that a resource is being read, so that its updates so far are not new."""
        if (subscription := self.subscriptions.get(uri)) is not None and subscription.is_new:
            subscription.is_new = False
            self._on_change()

    def _note_update(self, uri: str) -> None:
        # The user may have unsubscribed while the server was asked.
        if (subscription := self.subscriptions.get(uri)) is not None:
            subscription.count += 1
            subscription.updated, subscription.is_new = self._clock(), True
