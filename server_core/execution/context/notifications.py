"""`context.notifications`: notify clients that a list of the server has changed.

An app notifies clients itself when it adds or removes something; this is for lists that depend on something else.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from server_core.execution.context.client_port import Namespace

if TYPE_CHECKING:
    from server_core.execution.context.context import Context


class Notifications(Namespace):
    """`context.notifications`: one part for each list."""

    @cached_property
    def tools(self) -> "ListNotifications":
        """The list of tools."""
        return ListNotifications(self._context, "tools")

    @cached_property
    def resources(self) -> "ListNotifications":
        """The list of resources."""
        return ListNotifications(self._context, "resources")

    @cached_property
    def prompts(self) -> "ListNotifications":
        """The list of prompts."""
        return ListNotifications(self._context, "prompts")


class ListNotifications(Namespace):
    """The notifications of one list.

    Args:
        context: the context of the call.
        kind: which list.
    """

    def __init__(self, context: "Context", kind: str) -> None:
        super().__init__(context)
        self._kind = kind

    async def list_changed(self, delay: float | None = None) -> None:
        """Notify every subscribed client that the list has changed.

        Args:
            delay: seconds to wait for more changes, so that there is only one notification for all; 0 for no delay.
                The default is a setting.
        """
        from server_core.serving.list_changed import list_changed

        self._context.changed(list_changed(self._kind), delay)
