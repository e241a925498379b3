"""The base class of the panes: place, workspace, actions, and what the results in them ask for."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar, cast

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from server_core.errors import WorkbenchError
from server_core.runtime.paths import current_folder
from workbench.model.arrangement import Arrangement
from workbench.model.notices import CLIPBOARD
from workbench.model.short_text import shortened
from workbench.tui.action_calls import after_messages, perform
from workbench.tui.actions import SENDING_ACTIONS
from workbench.tui.workers import start_worker

if TYPE_CHECKING:
    from textual.events import Resize

    from workbench.client.questions import Question
    from workbench.model.action_commands import CalledServer, Fact
    from workbench.model.history import CallRun
    from workbench.model.saved_calls import SavedCall
    from workbench.model.terminal_memory import TerminalMemory
    from workbench.tui.actions import Action
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.widgets.columns import Columns
    from workbench.tui.widgets.json_view import JsonView
    from workbench.tui.widgets.links import MessageLinked, RunLinked
    from workbench.tui.widgets.result import ResultView
    from workbench.workspace.workspace import Workspace

T = TypeVar("T")


ROOMY = 170
"""Columns from which a pane has the class `-roomy` and its lists are wider."""


VAST = 200
"""Columns from which a pane has the class `-vast` and shows one column more."""


class Copied(NamedTuple):
    """A text for the clipboard, and what it is, as the subject of a sentence."""

    title: str
    text: str


class Pane(Widget):
    """One of the six panes. The app mounts a pane when it is first shown, and only once a workspace is open.

    A subclass sets `PLACE` and `BINDINGS = bindings(PLACE)`.
    """

    PLACE: ClassVar[str]
    NARROW: ClassVar[int] = 0
    """Columns below which the pane has the class `-narrow` and shows one step at a time; 0 for never."""

    DEFAULT_CSS = """
    Pane {
        height: 1fr;
        width: 1fr;
        & .note { height: auto; margin-top: 1; padding: 0 1; border-left: outer $panel; }
    }
    """

    arrangement = Arrangement()
    """How the user has arranged the screens; set before the pane is mounted."""

    def on_mount(self) -> None:
        # Before anything is painted: the first resize event arrives only later.
        self._set_width_classes(self.app.size.width)

    def on_resize(self, event: "Resize") -> None:
        self._set_width_classes(event.size.width)
        if not self.screen.is_current:
            self.screen.call_later(self._lay_out_behind)

    def _lay_out_behind(self) -> None:
        """Lay out the panes while a window is over them: its place may depend on theirs, and they are in view."""
        if self.is_attached and not self.screen.is_current:
            # Private, since Textual lays out only the screen in front.
            self.screen._refresh_layout()
            self.app.screen.refresh()

    def _set_width_classes(self, width: int) -> None:
        # At once: each change styles everything in the pane.
        classes = {"-narrow": width < self.NARROW, "-roomy": width >= ROOMY, "-vast": width >= VAST}
        self.update_classes(classes, animate=False)
        if (columns := self.columns) is not None:
            columns.set_shares(self.arrangement.splits.get(self._split_name, {}))

    @property
    def _split_name(self) -> str:
        """The name of the widths of columns, which each class of widths has of its own."""
        return "".join([self.PLACE, *(name for name in ("-narrow", "-roomy", "-vast") if self.has_class(name))])

    def on_columns_moved(self, event: "Columns.Moved") -> None:
        """Remember the widths of the columns."""
        event.stop()
        self.arrangement.splits[self._split_name] = dict(event.columns.shares)

    @property
    def is_ready(self) -> bool:
        """Whether keys can act on what the pane shows; until then they wait."""
        return True

    @property
    def columns(self) -> "Columns | None":
        """The columns that the pane has side by side in a wide terminal."""
        from workbench.tui.widgets.columns import Columns

        return next(iter(self.query(Columns)), None)

    @property
    def workbench(self) -> "WorkbenchApp":
        return cast("WorkbenchApp", self.app)

    @property
    def workspace(self) -> "Workspace":
        """The current workspace; a new one after the core was restarted."""
        return self.workbench.workspace

    @property
    def called_server(self) -> "CalledServer":
        """What the commands of the log name: the project, or another server."""
        from workbench.model.action_commands import CalledServer

        core = self.workspace.core
        name = str(core.info.get("project") or ".")
        is_here = not core.is_relay and current_folder() == Path(name)
        return CalledServer(name, core.is_relay, str(core.info.get("http_url") or ""), is_here)

    def log_command(self, action: str, *, note: str = "", **facts: "Fact") -> None:
        """Log the command of what the user has done.

        Args:
            action: a key of :data:`workbench.model.action_commands.COMMANDS`.
            note: what the command lacks.
            facts: what the words in braces of the command stand for.
        """
        from workbench.model.action_commands import action_command

        self.workbench.commands.add(action_command(action, self.called_server, facts), note)

    @property
    def actor(self) -> "Pane":
        """The pane whose actions the keys perform at the focus: this one, or one within it."""
        return self

    def shows(self, question: "Question") -> bool:
        """Return whether a question of a server is in view."""
        return False

    def why_not(self, action: str) -> str | None:
        return None

    @property
    def first_hints(self) -> "Sequence[Action]":
        """The actions that the footer shows before those of the pane: what waits for the user."""
        return ()

    def is_hinted(self, action: str) -> bool:
        """Return whether the footer may show an action: its key works at the current focus."""
        return True

    def hint_title(self, action: "Action") -> str:
        """Return the title of an action in the footer; empty where its key does not work."""
        return action.title if self.is_hinted(action.id) else ""

    async def action_act(self, action: str) -> None:
        """Perform an action of the table, or show why it is not available; a pane not yet mounted does nothing.

        An action that sends first waits for the keys typed before its own, so that all of the text is sent.
        """
        if not self.is_mounted:
            return
        focused = self.screen.focused
        if action in SENDING_ACTIONS and focused is not None and self in focused.ancestors:
            # Keys of lists are handled by the app, once no widget has.
            after_messages(focused, self.app, lambda: self.perform(action))
        else:
            await self.perform(action)

    async def perform(self, action: str) -> None:
        """Perform an action at once."""
        await perform(self, action)

    async def result_of(self, operation: Awaitable[T]) -> T | None:
        """Await an operation and return its result; if it is refused, show why and return None."""
        try:
            result = await operation
        except WorkbenchError as error:
            self.notify(str(error), title=self.attempts_topic, severity="error", markup=False)
            return None
        # What was refused before is possible now.
        self.workbench.withdraw(self.attempts_topic)
        return result

    @property
    def attempts_topic(self) -> str:
        """The topic of the notices about refused requests of this pane."""
        return f"attempts in {self.PLACE}"

    async def attempt(self, operation: Awaitable[object]) -> bool:
        """Await an operation and return whether it succeeded; if it is refused, show why."""

        async def succeed() -> bool:
            await operation
            return True

        return await self.result_of(succeed()) is not None

    def copied(self) -> Copied | None:
        """Return what the key that copies takes at the current focus; None if there is nothing."""
        return None

    async def action_copy(self) -> None:
        if (copied := self.copied()) is not None:
            self.copy(copied)

    def copy(self, copied: Copied) -> None:
        self.app.copy_to_clipboard(copied.text)
        self.notify(f"{shortened(copied.title)} is in the clipboard.", title=CLIPBOARD, markup=False)

    def show_note(self, selector: str, text: Content | None) -> None:
        note = self.query_one(selector, Static)
        note.display = text is not None
        if text is not None:
            note.update(text)

    def on_shown(self) -> None:
        """Take the focus and update: the pane has come to the front, or the terminal has connected again."""
        self.keep_or_take_focus()

    def keep_or_take_focus(self) -> None:
        """Take the focus, unless the user works in the pane already."""
        focused = self.screen.focused
        if focused is None or self not in focused.ancestors_with_self:
            self.take_focus()

    def take_focus(self) -> None:
        """Focus a visible widget at once: none has the focus, and another pane may be shown in a moment."""

    def restore(self, memory: "TerminalMemory") -> None:
        """Restore what an earlier terminal has remembered; called once, before the pane is mounted."""

    def remember(self, memory: "TerminalMemory") -> None:
        """Add what the next terminal restores in this pane; called while the pane is mounted."""

    def open_item(self, name: str) -> None:
        """Show an item of the pane by its name, for the palette."""

    def open_call(self, seq: int) -> None:
        """Show the messages of a call, by the number of its request: in the Inspector."""

    def open_messages(self, filter: str) -> None:
        """Show the messages of the core that match a filter: in the Inspector."""

    def open_capture(self, path: str, seq: int, back: Callable[[], Awaitable[None]] | None) -> None:
        """Show the messages of a capture, one of them in detail, until `back` is called: in the Inspector."""

    def open_run(self, run: "CallRun") -> None:
        """Show a run with its outcome: in the Tools."""

    async def on_message_linked(self, event: "MessageLinked") -> None:
        event.stop()
        await self.follow_message(event.seq)

    async def follow_message(self, seq: int) -> None:
        """Show a message in the Inspector."""
        await self.workbench.open_call(seq)

    async def on_run_linked(self, event: "RunLinked") -> None:
        """Show a run in the Tools."""
        event.stop()
        if (run := self.workspace.history.find(event.number)) is not None:
            await self.workbench.open_run(run)

    def open_recorded_call(self, call: "SavedCall") -> None:
        """Show the form of a call with its arguments: in the Tools."""

    def on_json_view_copy_requested(self, event: "JsonView.CopyRequested") -> None:
        """Ask what to copy of a result or a message."""
        from workbench.tui.result_requests import show_copy_menu

        event.stop()
        show_copy_menu(self.workbench, event.view)

    def on_result_view_content_chosen(self, event: "ResultView.ContentChosen") -> None:
        """Save content of a result, or open it."""
        from workbench.tui.result_requests import save, view

        event.stop()
        if event.action == "save":
            start_worker(self, partial(save, self.app, event.content), "save", exclusive=False)
        else:
            view(self.app, event.content)

    def on_result_view_link_followed(self, event: "ResultView.LinkFollowed") -> None:
        """Read the resource of a link, and show it in the place of the result."""
        from workbench.tui.result_requests import follow

        event.stop()
        start_worker(self, partial(follow, self, event.view, event.uri), "link")

    def workspace_changed(self, part: str) -> None:
        """Update the part of the pane that shows a part of the workspace.

        Args:
            part: one of :data:`workbench.workspace.workspace.PARTS`; "timeline" arrives only while the pane is shown.
        """
