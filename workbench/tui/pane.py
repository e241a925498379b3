"""What every pane has: its place, its workspace, and actions that say why they cannot be done."""

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from itertools import takewhile
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, cast

from textual.widget import Widget

from server_core.errors import WorkbenchError
from workbench.tui.actions import SENDING

if TYPE_CHECKING:
    from textual.events import Resize
    from textual.notifications import SeverityLevel

    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.workspace import Workspace

T = TypeVar("T")


class Actor(Protocol):
    """Who does actions of the table in :mod:`workbench.tui.actions`: the app, panes and modal screens."""

    def why_not(self, action: str) -> str | None:
        """Return why this action cannot be done at the moment; None when it can."""

    def notify(self, message: str, *, severity: "SeverityLevel", markup: bool) -> None:
        """Show a message for a moment."""


async def perform(actor: Actor, action: str) -> None:
    """Do an action of the table, or say why not: `action_<id>` of the actor does it."""
    if (reason := actor.why_not(action)) is not None:
        actor.notify(reason, severity="warning", markup=False)
        return
    done = getattr(actor, f"action_{action}")()
    if isawaitable(done):
        await done


def after_messages(widget: Widget, top: Widget, action: Callable[[], Awaitable[None]]) -> None:
    """Do something when what has been sent to a widget has been handled, and has led upwards what it leads to.

    Args:
        widget: where it begins.
        top: an ancestor of it, where it ends, and where the action is done.
        action: what to do then.
    """
    path = list(takewhile(lambda one: one is not top, widget.ancestors_with_self))
    # A widget that handles a message may send itself another one, which is handled behind what waits already.
    stops = [one for one in path for _ in range(2)]

    def continue_() -> None:
        while stops:
            if stops.pop(0).call_later(continue_):
                return
        top.call_later(action)

    continue_()


class Pane(Widget):
    """One of the six panes. The app mounts it when it is shown for the first time, and only once a workspace is open.

    A subclass sets `PLACE` and `BINDINGS = bindings(PLACE)`.
    """

    PLACE: ClassVar[str]
    NARROW: ClassVar[int] = 0
    """Columns below which it has the class `-narrow`, and shows one step at a time; 0 where it never does."""

    DEFAULT_CSS = """
    Pane {
        height: 1fr;
        width: 1fr;
        & .note { height: auto; margin-top: 1; padding: 0 1; border-left: outer $panel; }
    }
    """

    def on_mount(self) -> None:
        """Know how wide the terminal is before anything is painted."""
        self.set_class(self.app.size.width < self.NARROW, "-narrow")

    def on_resize(self, event: "Resize") -> None:
        """Show everything side by side, or one step at a time."""
        self.set_class(event.size.width < self.NARROW, "-narrow")

    @property
    def workbench(self) -> "WorkbenchApp":
        """The app."""
        return cast("WorkbenchApp", self.app)

    @property
    def workspace(self) -> "Workspace":
        """What the terminal works on; another one after the core was started again."""
        return self.workbench.workspace

    def why_not(self, action: str) -> str | None:
        """Return why this action cannot be done at the moment; None when it can."""
        return None

    def is_hinted(self, action: str) -> bool:
        """Return whether the footer may show an action: its key does something where the focus is now."""
        return True

    async def action_act(self, action: str) -> None:
        """Do an action of the table, or say why not; a pane that is still being made does nothing.

        What sends waits for what was typed before its key, so that it sends the whole of that.
        """
        if not self.is_mounted:
            return
        focused = self.screen.focused
        if action in SENDING and focused is not None and self in focused.ancestors:
            after_messages(focused, self, lambda: perform(self, action))
        else:
            await perform(self, action)

    async def asked(self, order: Awaitable[T]) -> T | None:
        """Wait for something that may be refused, and return what it comes to; None when it is, once that is told."""
        try:
            return await order
        except WorkbenchError as error:
            self.notify(str(error), severity="error", markup=False)
            return None

    async def attempt(self, order: Awaitable[object]) -> bool:
        """Wait for something that may be refused; say why when it is, and return whether it was done."""

        async def done() -> bool:
            await order
            return True

        return await self.asked(done()) is not None

    def on_shown(self) -> None:
        """Take the focus and catch up: the pane has come to the front."""
        self.take_focus()

    def take_focus(self) -> None:
        """Put the focus on something in sight, at once: nothing has it, and another pane may be shown in a moment."""

    def on_returned(self) -> None:
        """Take note that the person is here again by itself, after the last question was answered."""

    def open_item(self, name: str) -> None:
        """Show one thing of the pane by its name: the palette has found it."""

    def workspace_changed(self, part: str) -> None:
        """Show what has changed.

        Args:
            part: one of :data:`workbench.workspace.workspace.PARTS`; "timeline" comes only while the pane is shown.
        """
