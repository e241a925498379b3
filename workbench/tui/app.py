"""The terminal application: a header, the tabs, one pane at a time, and the key hints in the footer.

It paints before it connects, so this module imports only what the first paint needs.
The panes are in `screens/`, their keys in `actions.py`.
"""

import gc
import sys
import time
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import RenderableType
from textual import events
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.containers import Container
from textual.css.query import NoMatches
from textual.errors import NoWidget
from textual.notifications import Notify
from textual.screen import Screen
from textual.widgets import Static

from server_core.errors import WorkbenchError
from workbench.model.catalog import load_state
from workbench.model.short_text import escaped_lines
from workbench.model.terminal_failure import TerminalFailed, TerminalFailure, failure_of
from workbench.tui.actions import EVERYWHERE, bindings, key_for
from workbench.tui.header import WITHOUT_CORE, hint_items, status_items, tab_items
from workbench.tui.keystrokes import KeyOrderApp, accepts_text, keep_focus
from workbench.tui.pane import Pane, make_pane, perform
from workbench.tui.toasts import withdraw
from workbench.tui.widgets.bar import Bar

if TYPE_CHECKING:
    from workbench.tui.screens.core_dialogs import CoreDialogs
    from workbench.tui.screens.session_dialogs import SessionDialogs
    from workbench.workspace.open_request import OpenWorkspace, StartChoice
    from workbench.workspace.workspace import Workspace

POLLS_PER_SECOND = 30
POLL_BUDGET_S = 0.010
"""How long one poll may read records; the remaining ones wait for the next poll."""
FLOOD_PAINT_S = 0.1
"""How often the list is painted while more records arrive than a poll can read."""
SMALLEST = (60, 16)
"""The smallest size, in columns and rows, in which the screens can be shown."""

_STARTING = "Starting the core …"


def _palette() -> type[Provider]:
    # Textual calls this when the palette is opened.
    from workbench.tui.palette import WorkbenchCommands

    return WorkbenchCommands


class WorkbenchApp(KeyOrderApp):
    """The terminal; `place` is the pane that it shows first.

    `open_workspace` is called after the first paint, and again when the core was lost.
    """

    TITLE = "workbench"
    # Panes take the focus themselves when they are shown.
    AUTO_FOCUS = ""
    CSS_PATH = ["workbench.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(EVERYWHERE),
        # With priority: a field would forward tab only later, and the keys after it would land in that field.
        Binding("tab", "leave_text(1)", show=False, priority=True),
        Binding("shift+tab", "leave_text(-1)", show=False, priority=True),
        Binding("escape", "dismiss_messages", show=False),
    ]
    COMMANDS = App.COMMANDS | {_palette}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, open_workspace: "OpenWorkspace", theme: str = "textual-dark", place: str = "tools") -> None:
        super().__init__()
        self.theme = theme
        self.farewell = ""
        """The message printed to stderr after the terminal is restored."""
        self.is_leaving = False
        """Whether the user has chosen to quit, so that the end of the connection is no loss."""
        self._open_workspace = open_workspace
        self._wanted: StartChoice | None = None
        self._workspace: Workspace | None = None
        self._place = place
        self._panes: dict[str, Pane] = {}
        self._has_offered_start = False
        self._is_connecting = True
        self._generation = 0
        # Whether records have arrived that the pane does not show yet, and when it last showed records.
        self._has_records = False
        self._records_shown = 0.0
        # The loss of the relayed server that the user was last notified of.
        self._reported_loss = ""

    @property
    def workspace(self) -> "Workspace":
        """The workspace that the terminal shows.

        Raises:
            RuntimeError: before the first workspace is open; no pane is mounted until then.
        """
        if self._workspace is None:
            raise RuntimeError("no workspace is open yet")
        return self._workspace

    @property
    def state(self) -> str:
        """The state of the core and its server: a key of the header's table of states, such as "ready" or "lost"."""
        workspace = self._workspace
        if workspace is None or self._is_connecting:
            return "connecting" if self._is_connecting else "lost"
        if not workspace.connected:
            return "stopped" if workspace.stopped else "lost"
        if workspace.restarting:
            return "connecting"
        if workspace.server_lost:
            return "server lost"
        if workspace.reloading:
            return "reloading"
        return load_state(workspace.catalog) if workspace.is_loaded else "loading"

    @property
    def place(self) -> str:
        """The place of the pane in front."""
        return self._place

    @property
    def pane(self) -> Pane | None:
        """The pane in front; None before a workspace is open."""
        return self._panes.get(self._place)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools of the catalog, for the palette."""
        return [] if self._workspace is None else self._workspace.catalog.get("tools") or []

    @property
    def _frame(self) -> Screen[Any]:
        """The screen with the header, the tabs and the panes; dialogs are pushed above it."""
        return self.screen_stack[0]

    # Both kinds of dialogs are imported when they are first used, after the first paint.
    @cached_property
    def _core_dialogs(self) -> "CoreDialogs":
        from workbench.tui.screens.core_dialogs import CoreDialogs

        return CoreDialogs(self)

    @cached_property
    def _session_dialogs(self) -> "SessionDialogs":
        from workbench.tui.screens.session_dialogs import SessionDialogs

        return SessionDialogs(self)

    def compose(self) -> ComposeResult:
        # Panes are mounted into the body when they are shown.
        yield Bar(id="status")
        yield Bar(id="tabs")
        yield Container(Static(_STARTING, id="starting", markup=False), id="body")
        yield Bar(id="hints")
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self._paint_frame()
        keep_focus(self)
        self.call_after_refresh(self._begin)
        self._polling = self.set_interval(1 / POLLS_PER_SECOND, self._poll, pause=True)

    def _begin(self) -> None:
        # The objects that exist now stay until the end: the garbage collector need not visit them while the user types.
        gc.freeze()
        self.connect()

    def connect(self, wanted: "StartChoice | None" = None) -> None:
        """Open a workspace in place of the current one; None for the same workspace again."""
        self._wanted = wanted or self._wanted
        self.run_worker(self._connect(), name="connect", group="connect", exclusive=True)

    async def _connect(self) -> None:
        self._is_connecting = True
        self._frame.query_one("#starting", Static).update(_STARTING)
        self._paint_frame()
        try:
            # The panes show the old workspace until the new one is open.
            if self._workspace is not None:
                await self._workspace.close()
            workspace = await (self._open_workspace() if self._wanted is None else self._open_workspace(self._wanted))
        except WorkbenchError as error:
            from workbench.tui.screens.core_dialogs import no_core_text

            self._frame.query_one("#starting", Static).update(no_core_text(str(error)))
            self._core_dialogs.show_no_core(str(error))
            return
        finally:
            self._is_connecting = False
            self._paint_frame()
        self._workspace, self._generation = workspace, 0
        self._reported_loss = workspace.server_lost
        workspace.on_change = self._workspace_changed
        workspace.link.on_records = self._polling.resume
        self._polling.resume()
        for part in ("link", "catalog", "problems", "secrets", "sessions", "questions", "history"):
            self._workspace_changed(part)
        await self.show(self._place)
        if workspace.notice:
            self.notify(workspace.notice, markup=False)
        if workspace.server_lost and workspace.session is None:
            self._core_dialogs.show_no_server(workspace.server_lost)
        self._offer_start()

    async def show(self, place: str) -> None:
        """Bring a pane to the front."""
        self._place = place
        self._paint_frame()
        if self._workspace is None:
            return
        if (pane := self._panes.get(place)) is None:
            pane = self._panes[place] = make_pane(place)
            await self._frame.query_one("#body").mount(pane)
        self._frame.query_one("#starting").display = False
        for other_place, other in self._panes.items():
            other.display = other_place == self._place
        # Another pane may have been requested while this one was being created, or this one a second time.
        if place == self._place and pane.is_mounted:
            pane.on_shown()

    async def open_tool(self, name: str) -> None:
        await self.show("tools")
        self._panes["tools"].open_item(name)

    def _poll(self) -> None:
        started = time.perf_counter()
        if self._workspace is None or not self._workspace.poll(POLL_BUDGET_S):
            # While no records arrive the timer is paused, so that the processor is idle.
            self._polling.pause()
            self._show_records()
            return
        # In a flood the keyboard has priority: no user reads thirty lists a second.
        now = time.perf_counter()
        if now - started < POLL_BUDGET_S or now - self._records_shown >= FLOOD_PAINT_S:
            self._show_records()

    def _show_records(self) -> None:
        """Show the records that arrived since the last call."""
        if not self._has_records:
            return
        self._has_records, self._records_shown = False, time.perf_counter()
        self._paint_frame()
        if self.pane is not None:
            _notify_pane(self.pane, "timeline")

    def _workspace_changed(self, part: str) -> None:
        if self.is_leaving:
            return
        if part == "timeline":
            self._has_records = True
            return
        self._paint_frame()
        for pane in self._panes.values():
            _notify_pane(pane, part)
        if part == "catalog":
            self._show_reload()
            self._offer_start()
            self._close_start()
        if part == "link" and self._workspace is not None:
            if self._workspace.post_mortem is not None:
                self._core_dialogs.show_lost(self._workspace.post_mortem)
            self._report_server_lost(self._workspace)

    def _report_server_lost(self, workspace: "Workspace") -> None:
        lost = "" if workspace.restarting else workspace.server_lost
        if lost and lost != self._reported_loss and workspace.connected:
            message = f"{escaped_lines(lost)}\nPress {key_for('restart')} to restart it."
            self.notify(message, severity="error", markup=False)
        self._reported_loss = lost

    def _show_reload(self) -> None:
        from workbench.tui.reload_texts import reload_notice

        number = self.workspace.catalog.get("generation") or 0
        before, self._generation = self._generation, number
        # A catalog that was only fetched again, or the first catalog, is no change.
        if before and number > before and (notice := reload_notice(self.workspace.catalog)) is not None:
            self.notify(notice[0], severity=notice[1], markup=False)

    def _offer_start(self) -> None:
        workspace = self._workspace
        # Before the first load it is unknown whether there are tools.
        if workspace is None or self._has_offered_start or not workspace.is_loaded:
            return
        if not workspace.has_tools and len(self.screen_stack) > 1:
            return
        # Once there were tools, a file that is deleted must not open a dialog while the user is typing.
        self._has_offered_start = True
        if not workspace.has_tools:
            self.run_worker(self._start(), name="start", group="start", exclusive=True)

    async def _start(self) -> None:
        from workbench.tui.screens.start import ask_what_to_open

        if (request := await ask_what_to_open(self)) is not None:
            self.connect(request)

    def _close_start(self) -> None:
        if self._workspace is not None and self._workspace.has_tools and len(self.screen_stack) > 1:
            from workbench.tui.screens.start import close_start_screen

            close_start_screen(self)

    def _paint_frame(self) -> None:
        try:
            frame = self._frame
            frame.query_one("#status", Bar).show_items(*status_items(self._workspace, self.state))
            frame.query_one("#tabs", Bar).show_items(tab_items(self._workspace, self._place))
            is_hinted = None if self.pane is None else self.pane.is_hinted
            # While the focused widget reads letters as text, only other keys are commands.
            hints = hint_items(self._place, is_writing=accepts_text(self._frame.focused), is_hinted=is_hinted)
            frame.query_one("#hints", Bar).show_items(*hints)
        except (IndexError, NoMatches):
            return  # Records may still arrive while the app shuts down.

    async def on_event(self, event: events.Event) -> None:
        # A user may keep typing while the app exits: by then neither the core nor, a little later, the screen exists.
        if self.is_leaving and isinstance(event, events.InputEvent):
            return
        # A removed widget may still be painted, and a click on it would reach a widget without an app.
        if isinstance(event, events.MouseDown) and not event.is_forwarded and not self._is_on_a_widget(event):
            return
        await super().on_event(event)

    def _is_on_a_widget(self, event: events.MouseDown) -> bool:
        try:
            widget, _ = self.get_widget_at(event.x, event.y)
        except NoWidget:
            return True
        return widget.parent is not None

    def on_notify(self, event: Notify) -> None:
        # A message that is already shown is replaced rather than shown twice.
        withdraw(self, event.notification.message)

    def on_descendant_focus(self) -> None:
        # The footer shows the keys that are available at the new focus.
        self._paint_frame()

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        too_small = width < SMALLEST[0] or height < SMALLEST[1]
        self._frame.set_class(too_small, "-too-small")
        self._frame.query_one("#too-small", Static).update(
            f"This terminal is {width} x {height}.\nThe workbench needs {SMALLEST[0]} x {SMALLEST[1]}.\n\n"
            "Make the window larger."
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # Tab has priority only over keys that are text; elsewhere it is in order without it.
        focused = self.focused
        return action != "leave_text" or (focused is not None and focused.check_consume_key("a", "a"))

    def action_leave_text(self, by: int) -> None:
        if by > 0:
            self.screen.focus_next()
        else:
            self.screen.focus_previous()

    def action_dismiss_messages(self) -> None:
        self.clear_notifications()

    def why_not(self, action: str) -> str | None:
        if action == "restart":
            return self._why_not_restart()
        return self._session_dialogs.why_not(action)

    def _why_not_restart(self) -> str | None:
        if self.state == "connecting":
            return "Already connecting."
        if self.state in WITHOUT_CORE:
            return None
        if self._workspace is not None and self._workspace.is_relay and self._workspace.session is not None:
            return None
        if self._workspace is not None and self._workspace.server_lost:
            return None
        return "The core is running, and reloads the tools on each save; no restart is needed."

    async def action_act(self, action: str) -> None:
        await perform(self, action)

    async def action_do(self, place: str, action: str) -> None:
        """Perform an action of the table in the pane it belongs to: for the palette and the footer."""
        if place == EVERYWHERE:
            await perform(self, action)
        elif self._workspace is not None:
            await self.show(place)
            await self._panes[place].action_act(action)

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
        """Restart the core if it was lost, else the server that it relays."""
        if self.state in WITHOUT_CORE:
            self.connect()
        else:
            self.run_worker(self._restart_server(), name="connect", group="connect", exclusive=True)

    async def _restart_server(self) -> None:
        try:
            await self.workspace.restart_server()
        except WorkbenchError:
            return  # The workspace has already reported the loss.
        self.notify("Connected to the server again.", markup=False)

    def action_switch_revision(self) -> None:
        self._session_dialogs.ask_for_revision()

    def switch_revision(self, date: str) -> None:
        """Switch to a protocol revision, or report why that is not possible now."""
        self._session_dialogs.switch_revision(date)

    def action_set_log_level(self) -> None:
        self._session_dialogs.ask_for_log_level()

    def action_help(self) -> None:
        from workbench.tui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self._place))

    def action_palette(self) -> None:
        self.action_command_palette()

    def action_command_palette(self) -> None:
        """Open our palette where Textual would open its own."""
        from workbench.tui.palette import Palette

        if not isinstance(self.screen, Palette):
            # Textual gives its palette an id, which the previous palette may still have while it closes.
            self.push_screen(Palette())

    def search_themes(self) -> None:
        """List the themes in our palette, as Textual does in its own."""
        from textual.theme import ThemeProvider

        from workbench.tui.palette import Palette

        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        # Textual's other commands have their counterparts in the table of actions.
        titles = ("Theme", "Screenshot")
        return (command for command in super().get_system_commands(screen) if command.title in titles)

    async def action_quit(self) -> None:
        """Ask whether to stop the core too; exit at once if there is none."""
        if self._workspace is None or not self._workspace.connected:
            self.exit(3 if self.state == "lost" else 0)
        else:
            await self._core_dialogs.ask_to_quit()

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        self.is_leaving = True
        super().exit(result, return_code, message)

    def describe_failure(self, failure: TerminalFailure) -> TerminalFailed:
        """Return the failure with the names of the screens shown, and the core that keeps running."""
        shown = " > ".join([self._place, *(type(screen).__name__ for screen in self.screen_stack[1:])])
        workspace = self._workspace
        is_left = (
            workspace is not None and workspace.connected and not self._is_connecting and not workspace.is_in_process
        )
        core = str(workspace.info.get("id") or "") if workspace is not None and is_left else ""
        return TerminalFailed(failure, shown=shown, size=self.size, core=core)


def _notify_pane(pane: Pane, part: str) -> None:
    # The workspace may notify while the pane is being created, and while the app shuts down.
    if pane.is_mounted and pane.is_running:
        pane.workspace_changed(part)


def run_terminal(open_workspace: "OpenWorkspace") -> int:
    """Run the terminal until the user quits.

    Returns:
        The exit code of the command: 0, or 3 when the core was lost or never reached.

    Raises:
        TerminalFailed: when an internal error has ended it.
    """
    app = WorkbenchApp(open_workspace)
    try:
        code = app.run()
    except Exception as error:
        app.fail(failure_of(error))
    if app.failed is not None:
        raise app.failed
    if app.farewell:
        print(escaped_lines(app.farewell), file=sys.stderr)
    return app.return_code or 0 if code is None else code
