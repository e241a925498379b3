"""The terminal application: a header, the tabs, one pane at a time, and the key hints in the footer.

It paints before it connects, so this module imports only what the first paint needs.
The panes are in `screens/`, their keys in `actions.py`.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property, partial
from time import time
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.console import RenderableType
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from server_core.errors import WorkbenchError
from workbench.model.terminal_failure import TerminalFailed, TerminalFailure
from workbench.tui.action_calls import perform
from workbench.tui.actions import EVERYWHERE
from workbench.tui.announcements import CONNECTED_AGAIN, Announcements
from workbench.tui.body import Body
from workbench.tui.core_connection import CoreConnection
from workbench.tui.frame import Frame
from workbench.tui.garbage import GarbageCollection
from workbench.tui.header import WITHOUT_CORE
from workbench.tui.key_bindings import bindings
from workbench.tui.keystrokes import keep_focus
from workbench.tui.notice_app import SERVER
from workbench.tui.pane import Pane
from workbench.tui.record_polling import RecordPolling
from workbench.tui.session_memory import SAVE_S, SessionMemory
from workbench.tui.themed_app import ThemedApp
from workbench.tui.widgets.bar import Bar
from workbench.tui.workers import start_worker

if TYPE_CHECKING:
    from workbench.model.action_commands import CommandLog
    from workbench.model.arrangement import Arrangement
    from workbench.model.history import CallRun
    from workbench.model.saved_calls import SavedCall
    from workbench.model.terminal_memory import TerminalMemory
    from workbench.tui.screens.core_dialogs import CoreDialogs
    from workbench.tui.screens.rule_dialogs import RuleDialogs
    from workbench.tui.screens.session_dialogs import SessionDialogs
    from workbench.tui.widgets.columns import Columns
    from workbench.workspace.open_request import OpenWorkspace, StartChoice
    from workbench.workspace.workspace import Workspace

# The actions on the pane in front, whose keys have priority.
_OF_PANES = (("maximise",), ("jump",), ("answer",))


class WorkbenchApp(ThemedApp):
    """The terminal; `place` is the pane that it shows first, if it is not the pane of an earlier terminal.

    It restores `memory`; None for what is stored for the project.

    `open_workspace` is called after the first paint, and again when the core was lost.
    """

    TITLE = "workbench"
    # Panes take the focus themselves when they are shown.
    AUTO_FOCUS = ""
    CSS_PATH = ["workbench.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EVERYWHERE)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self,
        open_workspace: "OpenWorkspace",
        theme: str = "textual-dark",
        place: str = "",
        memory: "TerminalMemory | None" = None,
    ) -> None:
        super().__init__()
        self.theme = theme
        self.farewell = ""
        """The message printed to stderr after the terminal is restored."""
        self.is_reopened = memory is not None
        self._connection = CoreConnection(open_workspace, self._paint_frame)
        self._announcements = Announcements(self)
        self._garbage = GarbageCollection(self)
        self._body = Body(place or ("" if memory is None else memory.place) or "tools", id="body")
        self._memory = SessionMemory(self._body, memory, keeps_place=bool(place))

    @property
    def workspace(self) -> "Workspace":
        """The workspace; no pane is mounted before it is open."""
        if self._connection.workspace is None:
            raise RuntimeError("no workspace is open yet")
        return self._connection.workspace

    @property
    def state(self) -> str:
        return self._connection.state

    @property
    def place(self) -> str:
        return self._body.place

    @property
    def pane(self) -> Pane | None:
        return self._body.pane

    @property
    def catalog(self) -> dict[str, Any]:
        workspace = self._connection.workspace
        return {} if workspace is None else workspace.core.catalog

    @property
    def tools(self) -> list[dict[str, Any]]:
        return self.catalog.get("tools") or []

    @property
    def captures(self) -> list[dict[str, Any]]:
        workspace = self._connection.workspace
        return [] if workspace is None else workspace.core.captures

    @property
    def saved_calls(self) -> "Sequence[SavedCall]":
        workspace = self._connection.workspace
        return () if workspace is None else workspace.saved_calls.last_read.calls

    @property
    def arrangement(self) -> "Arrangement":
        return self._body.memory.arrangement

    @property
    def _frame(self) -> Frame:
        return cast("Frame", self.screen_stack[0])

    @cached_property
    def commands(self) -> "CommandLog":
        """The commands of what the user has done."""
        from workbench.model.action_commands import CommandLog

        return CommandLog(time)

    # Both kinds of dialogs are imported when they are first used, after the first paint.
    @cached_property
    def core_dialogs(self) -> "CoreDialogs":
        from workbench.tui.screens.core_dialogs import CoreDialogs

        return CoreDialogs(self)

    @cached_property
    def _session_dialogs(self) -> "SessionDialogs":
        from workbench.tui.screens.session_dialogs import SessionDialogs

        return SessionDialogs(self)

    @cached_property
    def rule_dialogs(self) -> "RuleDialogs":
        from workbench.tui.screens.rule_dialogs import RuleDialogs

        return RuleDialogs(self)

    def compose(self) -> ComposeResult:
        yield Bar(id="status")
        yield Bar(id="tabs")
        yield self._body
        yield Bar(id="notice")
        yield Bar(id="hints")
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self._paint_frame()
        keep_focus(self)
        self.call_after_refresh(self._begin)
        # A window may be closed at any time.
        self.set_interval(SAVE_S, self._memory.save)
        self.watch_theme_choice()
        self._polling = RecordPolling(self, self._show_records)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent):
            self._garbage.note_input()
        await super().on_event(event)

    def _begin(self) -> None:
        self._garbage.begin()
        self.connect()

    def connect(self, choice: "StartChoice | None" = None) -> None:
        """Open a workspace in place of the current one; None for the same workspace again."""
        self._connection.choice = choice or self._connection.choice
        start_worker(self, self._connect, "connect")

    async def _connect(self) -> None:
        self._body.show_starting()
        try:
            workspace = await self._connection.open()
        except WorkbenchError as error:
            from workbench.tui.screens.core_dialogs import no_core_text

            self.drop_waiting()
            self._body.show_text(no_core_text(str(error)))
            if self._connection.workspace is not None:
                self._workspace_changed("link")
            self.core_dialogs.show_no_core(str(error), self._connection)
            return
        self._announcements.begin(workspace)
        workspace.on_change = self._workspace_changed
        self._polling.begin(workspace)
        self._memory.begin(workspace, has_typed=self.has_typed_ahead)
        for part in ("link", "catalog", "problems", "secrets", "sessions", "questions", "history"):
            self._workspace_changed(part)
        await self.show(self.place)
        self._announcements.show_opened(workspace)
        self.deliver_waiting()

    @property
    def is_pane_ready(self) -> bool:
        return self._body.is_ready

    async def show(self, place: str) -> None:
        self._body.place = place
        self._body.is_chosen = True
        self._memory.save()
        self._paint_frame()
        if self._connection.workspace is not None:
            await self._body.show_pane()

    async def open_tool(self, name: str) -> None:
        await self.show("tools")
        self._body.panes["tools"].open_item(name)

    async def open_call(self, seq: int) -> None:
        """Show the messages of a call in the Inspector."""
        await self.show("inspector")
        self._body.panes["inspector"].open_call(seq)

    async def open_messages(self, filter: str) -> None:
        """Show the messages that match a filter in the Inspector."""
        await self.show("inspector")
        self._body.panes["inspector"].open_messages(filter)

    async def open_capture(self, path: str, seq: int = 0, back: Callable[[], Awaitable[None]] | None = None) -> None:
        """Show the messages of a capture in the Inspector, one of them in detail; `back` is called at its end."""
        await self.show("inspector")
        self._body.panes["inspector"].open_capture(path, seq, back)

    async def open_run(self, run: "CallRun") -> None:
        """Show a run with its outcome in the Tools."""
        await self.show("tools")
        self._body.panes["tools"].open_run(run)

    async def open_recorded_call(self, call: "SavedCall") -> None:
        """Show the form of a call with its arguments in the Tools."""
        await self.show("tools")
        self._body.panes["tools"].open_recorded_call(call)

    def _show_records(self) -> None:
        self._paint_frame()
        self._body.update_panes("timeline")

    def _workspace_changed(self, part: str) -> None:
        if self.is_leaving:
            return
        if part == "timeline":
            self._polling.mark()
            return
        self._paint_frame()
        self._body.update_panes(part)
        self._announcements.show_change(self.workspace, part)
        self.deliver_waiting()

    def _paint_frame(self) -> None:
        # While the app shuts down, the screen may be gone.
        if self.screen_stack:
            connection = self._connection
            self._frame.paint(
                connection.workspace, self.state, self.place, self.pane, self.notices.current, connection.opening
            )

    def show_notice(self) -> None:
        self._paint_frame()

    def show_keys(self) -> None:
        """Show the keys again: they may change without the focus."""
        self._paint_frame()

    def on_frame_front_changed(self) -> None:
        # Over a dialog the footer shows no keys.
        self._paint_frame()

    def on_descendant_focus(self) -> None:
        # The footer shows the keys that are available at the new focus.
        self._paint_frame()

    def on_resize(self, event: events.Resize) -> None:
        self._frame.show_size(event.size)
        # What has room in the bars depends on the width, which the app has only after its own handler of this event.
        self.call_next(self._paint_frame)

    def why_not(self, action: str) -> str | None:
        if action in ("restart", "stop_restarts", "open_server"):
            return self._connection.why_not(action)
        if action in ("maximise", "widen_column", "narrow_column"):
            return self._why_no_columns()
        if action == "answer" and (self._connection.workspace is None or not self.workspace.questions.waiting):
            return "There is no open request."
        if action in ("make_rule", "show_rules"):
            return self._why_no_rule(action)
        return self._session_dialogs.why_not(action)

    def _why_no_rule(self, action: str) -> str | None:
        if self._connection.workspace is None:
            return "There is no project yet."
        questions = self.workspace.questions
        if action == "make_rule" and not questions.waiting and questions.last_answered is None:
            return "A rule is made from a request of a tool: there is none, and none was answered."
        return None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "act" and parameters in _OF_PANES and self.screen is not self._frame:
            # Keys with priority also arrive over a dialog.
            return False
        return super().check_action(action, parameters)

    @property
    def _columns(self) -> "Columns | None":
        return None if self.pane is None else self.pane.columns

    def _why_no_columns(self) -> str | None:
        columns = self._columns
        if columns is None or not (columns.has_lines or columns.is_maximised):
            return "There are no columns side by side here."
        return None

    def action_jump(self) -> None:
        from workbench.tui.screens.jump import JumpScreen, go_to

        self.push_screen(JumpScreen(self._frame), partial(go_to, self))

    async def action_answer(self) -> None:
        from workbench.tui.question_notices import answer_or_return

        await answer_or_return(self)

    def action_make_rule(self) -> None:
        self.rule_dialogs.make()

    def action_show_rules(self) -> None:
        self.rule_dialogs.show()

    def action_maximise(self) -> None:
        if (columns := self._columns) is not None:
            columns.toggle_maximised()

    def action_widen_column(self) -> None:
        if (columns := self._columns) is not None:
            columns.move_line(1)

    def action_narrow_column(self) -> None:
        if (columns := self._columns) is not None:
            columns.move_line(-1)

    async def action_act(self, action: str) -> None:
        await perform(self, action)

    async def action_do(self, place: str, action: str) -> None:
        """Perform an action of the table in the pane it belongs to: for the palette and the footer."""
        if place == EVERYWHERE:
            await perform(self, action)
        elif self.pane is not None and place == self.pane.actor.PLACE:
            await self.pane.actor.action_act(action)
        elif self._connection.workspace is not None:
            await self.show(place)
            await self._body.panes[place].action_act(action)

    async def action_show_tools(self) -> None:
        await self.show("tools")

    async def action_show_inspector(self) -> None:
        await self.show("inspector")

    async def action_show_requests(self) -> None:
        await self.show("requests")

    async def action_show_secrets(self) -> None:
        await self.show("secrets")

    async def action_show_problems(self) -> None:
        await self.show("problems")

    async def action_show_sessions(self) -> None:
        await self.show("sessions")

    def action_restart(self) -> None:
        if self.state in WITHOUT_CORE:
            self.connect()
        else:
            start_worker(self, self._restart_server, "connect")

    async def _restart_server(self) -> None:
        try:
            await self.workspace.restart_server()
        except WorkbenchError:
            return  # The workspace has already reported the loss.
        self.notify(CONNECTED_AGAIN, title=SERVER, markup=False)

    def action_open_server(self) -> None:
        self._announcements.show_start(is_wanted=True)

    def action_stop_restarts(self) -> None:
        self.workspace.restarts.stop()
        self._workspace_changed("link")

    def action_switch_revision(self) -> None:
        self._session_dialogs.ask_for_revision()

    def switch_revision(self, date: str) -> None:
        self._session_dialogs.switch_revision(date)

    def action_switch_persona(self) -> None:
        self._session_dialogs.ask_for_persona()

    def switch_persona(self, name: str) -> None:
        """Become the persona of a name, or show why that is not possible now."""
        self._session_dialogs.switch_persona(name)

    def action_set_log_level(self) -> None:
        self._session_dialogs.ask_for_log_level()

    def action_help(self) -> None:
        from workbench.tui.screens.help import HelpScreen

        place = self.place if self.pane is None else self.pane.actor.PLACE
        self.push_screen(HelpScreen(place, self.focused))

    def action_show_notices(self) -> None:
        from workbench.tui.screens.notice_log import NoticeLog

        self.push_screen(NoticeLog(reversed(self.notices.log)))

    def action_show_commands(self) -> None:
        from workbench.tui.screens.command_log import CommandLogScreen

        self.push_screen(CommandLogScreen(self.commands.commands))

    def action_palette(self) -> None:
        self.action_command_palette()

    def action_command_palette(self) -> None:
        from workbench.tui.palette import Palette

        if not isinstance(self.screen, Palette):
            # Textual gives its palette an id, which the previous palette may still have while it closes.
            self.push_screen(Palette())

    async def action_quit(self) -> None:
        workspace = self._connection.workspace
        if workspace is None or not workspace.connected:
            self.exit(3 if self.state == "lost" else 0)
        else:
            await self.core_dialogs.ask_to_quit()

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        self.is_leaving = True
        self._memory.save_at_end()
        super().exit(result, return_code, message)

    def describe_failure(self, failure: TerminalFailure) -> TerminalFailed:
        shown = " > ".join([self.place, *(type(screen).__name__ for screen in self.screen_stack[1:])])
        core, in_process = self._connection.release()
        memory = self._memory.after_failure()
        return TerminalFailed(failure, shown=shown, size=self.size, core=core, in_process=in_process, memory=memory)
