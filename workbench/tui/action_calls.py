"""How an action of the table is performed, or why it is not available."""

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual.dom import DOMNode
from textual.widget import Widget

from workbench.model.notices import UNAVAILABLE

if TYPE_CHECKING:
    from textual.app import App
    from textual.notifications import SeverityLevel

    from workbench.tui.app import WorkbenchApp


class Actor(Protocol):
    """An object with actions of the table in :mod:`workbench.tui.actions`: the app, a pane or a modal screen."""

    def why_not(self, action: str) -> str | None:
        """Return why this action is not available at the moment; None when it is."""

    def notify(self, message: str, *, title: str, severity: "SeverityLevel", markup: bool) -> None:
        """Add a notice; see :mod:`workbench.tui.notice_app`."""

    @property
    def app(self) -> "App[Any]":
        """The app, which shows the notice."""


async def perform(actor: Actor, action: str) -> None:
    """Perform an action of the table by calling the actor's `action_<id>`, or show why it is not available."""
    if (reason := actor.why_not(action)) is not None:
        actor.notify(reason, title=UNAVAILABLE, severity="warning", markup=False)
        return
    cast("WorkbenchApp", actor.app).withdraw(UNAVAILABLE)
    result = getattr(actor, f"action_{action}")()
    if isawaitable(result):
        await result


def after_messages(widget: Widget, top: DOMNode, action: Callable[[], Awaitable[None]]) -> None:
    """Call an action once a widget has handled its messages, and its ancestors the messages that result.

    The last ancestor to wait for is `top`, where the action is called.
    """
    path = list(takewhile(lambda node: node is not top, widget.ancestors_with_self))
    # A widget that handles a message may post another to itself, which is queued behind the waiting messages.
    stops = [node for node in path for _ in range(2)]

    def continue_() -> None:
        while stops:
            if stops.pop(0).call_later(continue_):
                return
        top.call_later(action)

    continue_()
