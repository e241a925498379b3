"""The terminal application: a header, the tabs, one pane at a time, and the key hints in the footer.

It paints before it connects, so this module imports only what the first paint needs.
The panes are in `screens/`, their keys in `actions.py`.
"""

import gc
import sys
import time
from collections.abc import Iterable
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
from workbench.model.failure import TerminalFailed, TerminalFailure, failure_of
from workbench.model.reloads import load_state
from workbench.model.short_text import escaped_lines
from workbench.tui.actions import EVERYWHERE, bindings
from workbench.tui.focus import keep_focus
from workbench.tui.header import WITHOUT_CORE, hint_items, status_items, tab_items
from workbench.tui.keystrokes import TypingApp, accepts_text
from workbench.tui.pane import Pane, perform
from workbench.tui.revision_dialog import RevisionDialog
from workbench.tui.sequences import learn_sequences
from workbench.tui.toasts import withdraw
from workbench.tui.widgets.bar import Bar

if TYPE_CHECKING:
    from workbench.workspace.open_request import OpenWorkspace, Wanted
    from workbench.workspace.workspace import Workspace

POLLS_PER_SECOND = 30
POLL_BUDGET_S = 0.010
"""How long one poll may read records; the remaining ones wait for the next poll."""
FLOOD_PAINT_S = 0.1
"""How often the list is painted while more records arrive than a poll can read."""
_STARTING = "Starting the core …"
SMALLEST = (60, 16)
"""The smallest size, in columns and rows, in which the screens can be shown."""


def _always(action: str) -> bool:
    return True


def _palette() -> type[Provider]:
    from workbench.tui.palette import WorkbenchCommands

    return WorkbenchCommands


class WorkbenchApp(TypingApp):
    """The terminal.

    Args:
        open_workspace: opens the workspace; called after the first paint, and again when the core was lost.
        theme: the name of one of Textual's themes.
        place: the pane shown first.
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
        learn_sequences()
        self.theme = theme
        self.farewell = ""
        """The message printed to stderr after the terminal is restored."""
        self._open_workspace = open_workspace
        self._wanted: Wanted | None = None
        self._workspace: Workspace | None = None
        self._shown = place
        self._panes: dict[str, Pane] = {}
        self._asked_to_start = False
        self._is_connecting = True
        self._is_leaving = False
        self._generation = 0
        self._has_records = False
        self._reported_loss = ""
        self._records_shown = 0.0
        self._revision_dialog = RevisionDialog(self)

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
    def shown(self) -> str:
        """The place of the pane in front."""
        return self._shown

    @property
    def pane(self) -> Pane | None:
        """The pane in front; None before a workspace is open."""
        return self._panes.get(self._shown)

    @property
    def _frame(self) -> Screen[Any]:
        """The screen with the header, the tabs and the panes; dialogs are pushed above it."""
        return self.screen_stack[0]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools of the catalog, for the palette."""
        return [] if self._workspace is None else self._workspace.catalog.get("tools") or []

    def describe_failure(self, failure: TerminalFailure) -> TerminalFailed:
        """Return the failure with the names of the screens shown, and the core that keeps running."""
        shown = " > ".join([self._shown, *(type(screen).__name__ for screen in self._screen_stack[1:])])
        workspace = self._workspace
        is_left = (
            workspace is not None and workspace.connected and not self._is_connecting and not workspace.is_in_process
        )
        core = str(workspace.info.get("id") or "") if workspace is not None and is_left else ""
        return TerminalFailed(failure, shown=shown, size=self.size, core=core)

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Exit with the exit code of the command as the result."""
        self._is_leaving = True
        super().exit(result, return_code, message)

    async def open_tool(self, name: str) -> None:
        """Show a tool's form."""
        await self.show("tools")
        self._panes["tools"].open_item(name)

    def compose(self) -> ComposeResult:
        """Create the frame; panes are mounted into its body when they are shown."""
        yield Bar(id="status")
        yield Bar(id="tabs")
        yield Container(Static(_STARTING, id="starting", markup=False), id="body")
        yield Bar(id="hints")
        yield Static(id="too-small", markup=False)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Return those of Textual's own commands that the table of actions does not have."""
        titles = ("Theme", "Screenshot")
        return (command for command in super().get_system_commands(screen) if command.title in titles)

    def on_mount(self) -> None:
        """Paint the frame first, and only then connect to the core."""
        self._paint_frame()
        keep_focus(self)
        self.call_after_refresh(self._begin)
        self._polling = self.set_interval(1 / POLLS_PER_SECOND, self._poll, pause=True)

    def _begin(self) -> None:
        # The objects that exist now stay until the end: the garbage collector need not visit them while the user types.
        gc.freeze()
        self.connect()

    def connect(self, wanted: "Wanted | None" = None) -> None:
        """Open a workspace in place of the current one.

        Args:
            wanted: what the start screen asks for; None to open the same workspace again.
        """
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
            from workbench.tui.screens.leave_dialogs import no_core_screen, no_core_text

            self._frame.query_one("#starting", Static).update(no_core_text(str(error)))
            self.push_screen(no_core_screen(str(error)), self._after_lost)
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
        await self.show(self._shown)
        if workspace.notice:
            self.notify(workspace.notice, markup=False)
        if workspace.server_lost and workspace.session is None:
            self._show_no_server(workspace.server_lost)
        self._offer_start()

    async def show(self, place: str) -> None:
        """Bring a pane to the front."""
        self._shown = place
        self._paint_frame()
        if self._workspace is None:
            return
        if (pane := self._panes.get(place)) is None:
            from workbench.tui.panes import make_pane

            pane = self._panes[place] = make_pane(place)
            await self._frame.query_one("#body").mount(pane)
        self._frame.query_one("#starting").display = False
        for other_place, other in self._panes.items():
            other.display = other_place == self._shown
        # Another pane may have been requested while this one was being created, or this one a second time.
        if place == self._shown and pane.is_mounted:
            pane.on_shown()

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
        if self._is_leaving:
            return  # The connection was closed on purpose.
        if part == "timeline":
            self._has_records = True
            return
        self._paint_frame()
        for pane in self._panes.values():
            _notify_pane(pane, part)
        if part == "catalog":
            self._show_reload()
            self._offer_start()
            self._end_start()
        if part == "link" and self._workspace is not None:
            if self._workspace.post_mortem is not None:
                self._show_lost(self._workspace.post_mortem)
            self._report_server_lost(self._workspace)

    def _report_server_lost(self, workspace: "Workspace") -> None:
        lost = "" if workspace.restarting else workspace.server_lost
        if lost and lost != self._reported_loss and workspace.connected:
            self.notify(f"{escaped_lines(lost)}\nPress f5 to restart it.", severity="error", markup=False)
        self._reported_loss = lost

    def _paint_frame(self) -> None:
        try:
            frame = self._frame
            frame.query_one("#status", Bar).show_items(*status_items(self._workspace, self.state))
            frame.query_one("#tabs", Bar).show_items(tab_items(self._workspace, self._shown))
            works = _always if self.pane is None else self.pane.is_hinted
            hints = hint_items(self._shown, is_writing=self._is_writing, works=works)
            frame.query_one("#hints", Bar).show_items(*hints)
        except (IndexError, NoMatches):
            return  # Records may still arrive while the app shuts down.

    @property
    def _is_writing(self) -> bool:
        """Whether the focused widget reads letters as text."""
        return accepts_text(self._frame.focused)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let tab overtake only the keys that are text."""
        focused = self.focused
        return action != "leave_text" or (focused is not None and focused.check_consume_key("a", "a"))

    def action_leave_text(self, by: int) -> None:
        """Move the focus to the next or previous widget."""
        if by > 0:
            self.screen.focus_next()
        else:
            self.screen.focus_previous()

    async def on_event(self, event: events.Event) -> None:
        """Ignore clicks on widgets that were removed but are still painted.

        A user may keep typing while the app exits: by then neither the core nor, a little later, the screen exists.
        """
        if self._is_leaving and isinstance(event, events.InputEvent):
            return
        if isinstance(event, events.MouseDown) and not event.is_forwarded and not self._is_on_a_widget(event):
            return
        await super().on_event(event)

    def on_notify(self, event: Notify) -> None:
        """Replace a message that is already shown, rather than show it twice."""
        withdraw(self, event.notification.message)

    def action_dismiss_messages(self) -> None:
        """Remove all temporary messages."""
        self.clear_notifications()

    def on_descendant_focus(self) -> None:
        """Show the keys that are available at the new focus."""
        self._paint_frame()

    def _show_reload(self) -> None:
        from workbench.tui.reload_notice import reload_notice

        number = self.workspace.catalog.get("generation") or 0
        before, self._generation = self._generation, number
        # A catalog that was only fetched again, or the first catalog, is no change.
        if before and number > before and (notice := reload_notice(self.workspace.catalog)) is not None:
            self.notify(notice[0], severity=notice[1], markup=False)

    def _offer_start(self) -> None:
        workspace = self._workspace
        # Before the first load it is unknown whether there are tools.
        if workspace is None or self._asked_to_start or not workspace.is_loaded:
            return
        if not workspace.has_tools and len(self.screen_stack) > 1:
            return
        # Once there were tools, a file that is deleted must not open a dialog while the user is typing.
        self._asked_to_start = True
        if workspace.has_tools:
            return
        self.run_worker(
            self._start(str(workspace.info.get("project") or "")), name="start", group="start", exclusive=True
        )

    async def _start(self, project: str) -> None:
        from workbench.tui.screens.start import StartScreen, prompt_for, wanted

        text: str | None = None
        # Esc in a prompt returns to the choices, unless tools have been loaded meanwhile.
        while text is None and not self.workspace.has_tools:
            choice = await self.push_screen_wait(StartScreen(project)) or "stay"
            prompt = prompt_for(choice)
            text = "" if prompt is None else await self.push_screen_wait(prompt)
        if text is not None and (request := wanted(choice, text)) is not None:
            self.connect(request)

    def _end_start(self) -> None:
        """Close the start screen once there are tools; a prompt that the user types into stays."""
        if self._workspace is None or not self._workspace.has_tools:
            return
        from workbench.tui.screens.start import StartScreen

        for screen in self.screen_stack:
            if isinstance(screen, StartScreen):
                screen.dismiss("stay")

    def _show_lost(self, message: str) -> None:
        from workbench.tui.screens.leave_dialogs import lost_screen, stopped_screen

        screen = stopped_screen if self.state == "stopped" else lost_screen
        self.push_screen(screen(message), self._after_lost)

    def _show_no_server(self, message: str) -> None:
        from workbench.tui.screens.leave_dialogs import no_server_screen

        self.push_screen(no_server_screen(message), self._after_no_server)

    async def _after_no_server(self, choice: str | None) -> None:
        if choice == "again":
            self.action_reconnect()
        elif choice == "quit":
            await self.action_quit()

    def _after_lost(self, choice: str | None) -> None:
        if choice == "again":
            self.connect()
        elif choice == "quit":
            self.exit(3 if self.state == "lost" else 0)

    def _is_on_a_widget(self, event: events.MouseDown) -> bool:
        try:
            widget, _ = self.get_widget_at(event.x, event.y)
        except NoWidget:
            return True
        return widget.parent is not None

    def on_resize(self, event: events.Resize) -> None:
        """Show a message where the terminal is too small, rather than a broken screen."""
        width, height = event.size
        too_small = width < SMALLEST[0] or height < SMALLEST[1]
        self._frame.set_class(too_small, "-too-small")
        self._frame.query_one("#too-small", Static).update(
            f"This terminal is {width} x {height}.\nThe workbench needs {SMALLEST[0]} x {SMALLEST[1]}.\n\n"
            "Make the window larger."
        )

    def why_not(self, action: str) -> str | None:
        """Return why a global action is not available at the moment; None when it is."""
        if action == "reconnect":
            return self._why_not_reconnect()
        return self._revision_dialog.why_not(action)

    def _why_not_reconnect(self) -> str | None:
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
        """Perform a global action of the table."""
        await perform(self, action)

    async def action_do(self, place: str, action: str) -> None:
        """Perform an action of the table in the pane it belongs to: for the palette and the footer."""
        if place == EVERYWHERE:
            await perform(self, action)
        elif self._workspace is not None:
            await self.show(place)
            await self._panes[place].action_act(action)

    async def action_show_tools(self) -> None:
        """Show the tools."""
        await self.show("tools")

    async def action_show_inspector(self) -> None:
        """Show the traffic."""
        await self.show("inspector")

    async def action_show_requests(self) -> None:
        """Show the questions."""
        await self.show("requests")

    async def action_show_secrets(self) -> None:
        """Show the secrets."""
        await self.show("secrets")

    async def action_show_problems(self) -> None:
        """Show the problems."""
        await self.show("problems")

    async def action_show_sessions(self) -> None:
        """Show the sessions."""
        await self.show("sessions")

    def action_reconnect(self) -> None:
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

    def action_speak(self) -> None:
        """Ask for the protocol revision to switch to."""
        self._revision_dialog.ask_for_revision()

    def speak(self, date: str) -> None:
        """Switch to a protocol revision, or report why that is not possible now."""
        self._revision_dialog.switch(date)

    def action_want_logs(self) -> None:
        """Ask for the log level."""
        self._revision_dialog.ask_for_log_level()

    def action_palette(self) -> None:
        """Open the palette."""
        self.action_command_palette()

    def action_command_palette(self) -> None:
        """Open our palette where Textual would open its own."""
        from workbench.tui.palette import Palette

        if not isinstance(self.screen, Palette):
            # Textual gives its palette an id, which the previous palette may still have while it closes.
            self.push_screen(Palette())

    def search_themes(self) -> None:
        """List the themes in our palette."""
        from textual.theme import ThemeProvider

        from workbench.tui.palette import Palette

        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))

    def action_help(self) -> None:
        """Show the keys of the pane in front."""
        from workbench.tui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self._shown))

    async def action_quit(self) -> None:
        """Ask whether to stop the core too; exit at once if there is none."""
        if self._workspace is None or not self._workspace.connected:
            self.exit(3 if self.state == "lost" else 0)
            return
        from workbench.tui.screens.leave_dialogs import quit_screen

        workspace = self._workspace
        use = await workspace.use()
        core = str(workspace.info.get("id") or "")
        self.push_screen(quit_screen(core, use, in_process=workspace.is_in_process), self._leave)

    async def _leave(self, how: str | None) -> None:
        if how not in ("stop", "detach", "serve"):
            return
        workspace = self.workspace
        code = 3 if workspace.server_lost else 0
        self._is_leaving = True
        try:
            if how == "stop":
                await workspace.stop()
            else:
                self.farewell = await workspace.detach(serve_http=how == "serve")
        except WorkbenchError as error:
            if how != "stop":
                self._is_leaving = False
                self.notify(str(error), severity="error", markup=False)
                return
            self.farewell, code = str(error), 3
        self.exit(code)


def _notify_pane(pane: Pane, part: str) -> None:
    # The workspace may notify while the pane is being created, and while the app shuts down.
    if pane.is_mounted and pane.is_running:
        pane.workspace_changed(part)


def run_terminal(open_workspace: "OpenWorkspace") -> int:
    """Run the terminal until the user quits.

    Args:
        open_workspace: opens the workspace; called after the first paint.

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
