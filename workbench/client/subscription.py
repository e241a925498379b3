"""Subscriptions to the changes of a stateless server: `subscriptions/listen`.

Rule 1: a subscription that breaks, or that the server ends, is opened again, after a pause that grows with each
failure.
Rule 2: changes while no subscription was open are unknown, so everything is reported as changed.
Rule 3: a server that refuses a subscription is not asked again; an error after it has agreed counts as a break.

Source: 2026-07-28, basic/patterns/subscriptions.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.envelope import SUBSCRIPTION_ID
from server_core.protocol.jsonrpc import Notification, Params, RequestId
from server_core.runtime.background import spawn

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"

# The filter member and the notification for each capability with `listChanged`.
CHANGES = {
    "tools": ("toolsListChanged", "notifications/tools/list_changed"),
    "prompts": ("promptsListChanged", "notifications/prompts/list_changed"),
    "resources": ("resourcesListChanged", "notifications/resources/list_changed"),
}


class Sender(Protocol):
    """What a subscription needs of its session; see :class:`~workbench.client.requester.Requester`."""

    def start_request(self, method: str, params: Params | None) -> tuple[RequestId, asyncio.Future[dict[str, Any]]]: ...

    def abandon(self, request_id: RequestId, reason: str) -> None: ...


class ClientSubscriptions:
    """All subscriptions of a session, by name; `on_change` also gets what may have been missed while none was open."""

    def __init__(self, sender: Sender, on_change: Callable[[Notification], None]) -> None:
        self._sender = sender
        self._on_change = on_change
        self._open: dict[str, tuple[ClientSubscription, asyncio.Task[None]]] = {}

    async def open(self, name: str, notifications: dict[str, Any]) -> dict[str, Any]:
        """Open a subscription, ending that of the same name; return the filter agreed to, empty for a refusal."""
        self.end(name)
        subscription = ClientSubscription(self._sender, self._on_change)
        self._open[name] = subscription, spawn(subscription.listen(notifications), f"listen: {name}")
        return await subscription.agreed

    def end(self, name: str) -> None:
        """End a subscription; no effect if there is none."""
        if (entry := self._open.pop(name, None)) is not None:
            entry[1].cancel()

    async def close(self) -> None:
        tasks = [task for _, task in self._open.values()]
        self._open.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def handle(self, notification: Notification) -> bool:
        """Handle a notification that belongs to one of the subscriptions; False for any other."""
        return any(subscription.handle(notification) for subscription, _ in list(self._open.values()))


class ClientSubscription:
    """One subscription, open until it is cancelled; the arguments are those of :class:`ClientSubscriptions`."""

    def __init__(self, sender: Sender, on_change: Callable[[Notification], None]) -> None:
        # the filter that the server agreed to first; empty if it refuses subscriptions
        self.agreed: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._sender = sender
        self._on_change = on_change
        self._id: RequestId | None = None
        self._pause = FIRST_PAUSE
        self._missed = False
        self._is_acknowledged = False

    async def listen(self, notifications: dict[str, Any]) -> None:
        """Keep a subscription open; return when the server refuses it, or has ended."""
        try:
            loop = asyncio.get_running_loop()
            began = loop.time()
            while await self._listen_once(notifications):
                self._missed = True
                # A subscription that lasted shows that the server is well: the next break is not a repetition.
                if loop.time() - began > LONGEST_PAUSE:
                    self._pause = FIRST_PAUSE
                await asyncio.sleep(self._pause)
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
                began = loop.time()
        finally:
            self._set_agreed({})

    def handle(self, notification: Notification) -> bool:
        meta = notification.params.get("_meta")
        subscription_id = meta.get(SUBSCRIPTION_ID) if isinstance(meta, dict) else None
        if subscription_id is None or subscription_id != self._id or type(subscription_id) is not type(self._id):
            return False
        if notification.method == ACKNOWLEDGED:
            self._acknowledged(notification.params)
        else:
            self._pause = FIRST_PAUSE
            self._on_change(notification)
        return True

    async def _listen_once(self, notifications: dict[str, Any]) -> bool:
        """Open a subscription and wait for its end; False if it should not be opened again."""
        self._is_acknowledged = False
        try:
            self._id, ended = self._sender.start_request("subscriptions/listen", {"notifications": notifications})
        except ConnectionFailed:
            return False
        try:
            # Shielded: `abandon` has to find the request pending, and sends the cancellation.
            await asyncio.shield(ended)
        except ConnectionFailed:
            return True
        except RemoteError:
            return self._is_acknowledged
        except asyncio.CancelledError:
            self._sender.abandon(self._id, "the subscription is cancelled")
            raise
        finally:
            self._id = None
        return True

    def _acknowledged(self, params: Params) -> None:
        self._is_acknowledged = True
        agreed = params.get("notifications")
        accepted: dict[str, Any] = agreed if isinstance(agreed, dict) else {}
        self._set_agreed(accepted)
        if self._missed:
            for key, method in CHANGES.values():
                if accepted.get(key) is True:
                    self._on_change(Notification(method, {}))
            for uri in resources_in(accepted):
                self._on_change(Notification("notifications/resources/updated", {"uri": uri}))

    def _set_agreed(self, accepted: dict[str, Any]) -> None:
        if not self.agreed.done():
            self.agreed.set_result(accepted)


def list_changes(capabilities: dict[str, Any]) -> dict[str, Any]:
    """Return the filter for the list changes that a server with these capabilities can report; empty for none."""
    return {key: True for name, (key, _) in CHANGES.items() if _has_list_changed(capabilities.get(name))}


def resources_in(accepted: dict[str, Any]) -> list[str]:
    """Return the subscribed resources in a filter, which may be malformed."""
    uris = accepted.get("resourceSubscriptions")
    return [uri for uri in uris if isinstance(uri, str)] if isinstance(uris, list) else []


def _has_list_changed(capability: Any) -> bool:
    return isinstance(capability, dict) and capability.get("listChanged") is True
