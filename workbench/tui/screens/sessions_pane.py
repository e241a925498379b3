"""The connected clients and what they negotiated; the core itself; and the captures on disk."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from server_core.protocol.revisions import STATELESS_REVISIONS
from workbench.model.capture_groups import Capture, CaptureGroup
from workbench.model.describe import age, duration, json_text
from workbench.model.notices import CLIPBOARD
from workbench.model.short_text import escaped, shortened
from workbench.tui.actions import Action
from workbench.tui.colours import BAD, MUTED, WARN
from workbench.tui.key_bindings import bindings, key_for
from workbench.tui.pane import Copied, Pane
from workbench.tui.screens.capture_labels import edit_note, rename, toggle_pin
from workbench.tui.screens.capture_list import CaptureList
from workbench.tui.screens.capture_menu import ask_to_delete, compare, open_capture, search
from workbench.tui.screens.capture_rows import COLUMNS, LEFT_OUT, NAME_COLUMN, NUMBERS, capture_text, group_text
from workbench.tui.screens.http_dialogs import start_http, stop_http
from workbench.tui.screens.server_dialogs import ServerActions
from workbench.tui.screens.session_heights import share_height
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.widgets.panels import DetailPanel, Panels, TablePanel
from workbench.tui.workers import start_worker

_OF_CAPTURES = frozenset(
    {
        *("rename_capture", "pin_capture", "note_capture", "delete_capture", "search_captures"),
        *("mark_capture", "compare_captures"),
    }
)
# Rows of the terminal below which the core has only one, and those below which it has two.
_LOW, _MEDIUM = 19, 32
REFRESH_S = 1.0
"""Seconds between two requests for the counts of calls while messages arrive."""


class SessionsPane(Pane):
    PLACE: ClassVar[str] = "sessions"
    BINDINGS = bindings(PLACE)

    DEFAULT_CSS = """
    SessionsPane {
        & #core-note, & #own-note { margin-top: 0; }
        & #core-note { height: auto; }
        & #core-note:focus { border-left: outer $border; }
        &.-low > .note { max-height: 1; }
        & Panels.-narrow.-low > DetailPanel { max-height: 1; }
        &.-medium Panels.-narrow > DetailPanel { border: none; border-left: outer $panel; max-height: 3; }
        &.-medium Panels.-narrow > DetailPanel:focus { border: none; border-left: outer $border; }
        &.-medium Panels.-narrow > #client { max-height: 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._refresh_timer: Timer | None = None
        self._server = ServerActions(self)
        self._list = CaptureList(self)
        # How many captures had not been counted when they were last listed.
        self._uncounted = 0

    def compose(self) -> ComposeResult:
        yield DetailPanel("", id="core-note", classes="note")
        yield Static(id="own-note", classes="note")
        sessions = Table(
            ("session", "client", "over", "revision", "calls", "in flight", "since"),
            wide_column=1,
            numbers=(4, 5),
            empty_text="No client is connected.",
            id="session-table",
        )
        captures = Table(
            COLUMNS,
            wide_column=NAME_COLUMN,
            numbers=NUMBERS,
            left_out=LEFT_OUT,
            empty_text="No captures on disk.",
            id="capture-table",
        )
        yield Panels(
            TablePanel("Clients", sessions, id="client-list"),
            DetailPanel("Client", id="client"),
            TablePanel("Captures", captures, id="capture-list"),
            DetailPanel("Capture", id="capture"),
            narrow=150,
        )

    @property
    def sessions(self) -> Table:
        return self.query_one("#session-table", Table)

    @property
    def captures(self) -> Table:
        return self.query_one("#capture-table", Table)

    def on_shown(self) -> None:
        self.workspace_changed("sessions")
        self.keep_or_take_focus()
        if self.workspace.connected:
            self.action_refresh()

    def take_focus(self) -> None:
        self.screen.set_focus(self.captures if self.workspace.core.captures else self.sessions)

    def on_mount(self) -> None:
        super().on_mount()
        self._set_height_class()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._set_height_class()

    def _set_height_class(self) -> None:
        height = self.app.size.height
        before = (self.has_class("-low"), self.has_class("-medium"))
        self.set_class(height < _LOW, "-low")
        self.set_class(_LOW <= height < _MEDIUM, "-medium")
        if before != (self.has_class("-low"), self.has_class("-medium")):
            self._paint_core()
        self._share_height()

    def _share_height(self) -> None:
        """Leave the rows that the clients do not need to the captures."""
        share_height(self.query_one(Panels), self.query_one("#client-list"), len(self.workspace.core.sessions))

    def open_item(self, name: str) -> None:
        if self._list.move_to(name):
            self.screen.set_focus(self.captures)

    def workspace_changed(self, part: str) -> None:
        if part in ("sessions", "link"):
            now = self.workspace.clock()
            self._paint_core()
            self.query_one("#client-list", TablePanel).show_rows(
                [_session_row(session, now) for session in self.workspace.core.sessions]
            )
            self._list.show()
            self._paint_notes()
            self._share_height()
            self._count_on()
        elif part == "timeline" and self._refresh_timer is None:
            # The core counts the calls, and does not notify of the counts.
            self._refresh_timer = self.set_timer(REFRESH_S, self._refresh_counts)

    def _count_on(self) -> None:
        """List the captures again while the core counts more of them each time."""
        uncounted = sum(
            capture.get("calls") is None and not capture.get("problem") for capture in self.workspace.core.captures
        )
        if uncounted and uncounted != self._uncounted and self.workspace.connected:
            self.action_refresh()
        self._uncounted = uncounted

    def _refresh_counts(self) -> None:
        self._refresh_timer = None
        if self.workspace.connected:
            self.action_refresh()

    def _paint_core(self) -> None:
        is_lost = not self.workspace.connected
        text = core_text(self.workspace.core.info, is_lost=is_lost, is_short=self.has_class("-medium"))
        if self.has_class("-low"):
            first, *rest = text.split("\n")
            text = Content("\n").join([first + Content.styled("  ↓ more (shift+tab, j)", MUTED), *rest])
        self.query_one("#core-note", DetailPanel).show(text)

    def _paint_notes(self) -> None:
        session = self.sessions.current_item(self.workspace.core.sessions)
        row = self._list.row
        self.show_note("#own-note", self._own_text())
        session_shown = None if session is None else session_text(session, self.workspace.clock())
        self.query_one("#client", DetailPanel).show(session_shown)
        self.query_one("#capture", DetailPanel).show(None if row is None else self._capture_text(row))

    def _capture_text(self, row: Capture | CaptureGroup) -> Content:
        if isinstance(row, CaptureGroup):
            return group_text(row, key_for("open_row", self.PLACE))
        uses = {"open_row": "opens it", "rename_capture": "names it", "note_capture": "writes a note on it"}
        uses |= self._list.use_of_comparison(row)
        keys = ", ".join(f"{key_for(action, self.PLACE)} {does}" for action, does in uses.items())
        return capture_text(row, keys)

    def _own_text(self) -> Content | None:
        """Return the settings of the terminal's own session, with the keys that change them."""
        workspace = self.workspace
        if workspace.session is None:
            return None
        folders = ", ".join(str(root.get("uri", "")) for root in workspace.roots) or "none"
        ping = "" if self._server.seconds is None else f"{duration(self._server.seconds)}  "
        return Content.assemble(
            ("your session  ", "bold"),
            ("log level ", MUTED),
            f"{workspace.log_level} ({key_for('set_log_level')})  ",
            ("ping ", MUTED),
            f"{ping}({key_for('ping', self.PLACE)})  ",
            ("roots ", MUTED),
            f"{shortened(folders)} ({key_for('edit_roots', self.PLACE)})",
        )

    def why_not(self, action: str) -> str | None:
        if action in _OF_CAPTURES:
            return self._why_not_capture(action)
        url = self.workspace.core.info.get("http_url")
        if not self.workspace.connected and action in ("copy_http_url", "toggle_http", "refresh"):
            return f"The core is lost: press {key_for('restart')} to restart it."
        if action == "copy_http_url" and not url:
            return f"The core does not serve HTTP yet: press {key_for('toggle_http', self.PLACE)}."
        if action == "open_row" and self._row is None:
            return "There is no client here." if self.sessions.has_focus else "There is no capture on disk."
        if action == "copy" and self.copied() is None:
            return "There is nothing to copy in this list."
        return self._server.why_not(action)

    def hint_title(self, action: Action) -> str:
        """Return the title for the list that has the focus; none of an action that its row does not have."""
        if self.sessions.has_focus:
            if action.id == "open_row":
                return "its messages"
            if action.id in _OF_CAPTURES:
                return ""
        if action.id in ("ping", "toggle_http", "refresh") and self.captures.has_focus:
            return ""
        if action.id == "compare_captures" and self._list.marked is None:
            return ""
        if action.id == "copy_http_url" and not self.workspace.core.info.get("http_url"):
            return ""
        return super().hint_title(action)

    def _why_not_capture(self, action: str) -> str | None:
        capture = self._list.capture
        if action == "search_captures" and self.workspace.core.captures:
            return None
        if capture is None and self._list.row is not None:
            return f"This row has several captures: press {key_for('open_row', self.PLACE)} to list them."
        if capture is None:
            return "There is no capture on disk."
        if capture.get("problem") and action != "delete_capture":
            return "The capture cannot be read; its detail shows why."
        if action == "compare_captures" and self._list.marked in (None, capture):
            return f"Mark another capture first ({key_for('mark_capture', self.PLACE)}): it is compared with this one."
        return None

    @property
    def _row(self) -> dict[str, Any] | CaptureGroup | None:
        """The client or the capture that the keys act on: that of the list with the focus, else the capture."""
        if self.sessions.has_focus:
            return self.sessions.current_item(self.workspace.core.sessions)
        return self._list.row

    def copied(self) -> Copied | None:
        if self.captures.has_focus:
            capture = self._list.capture
            return None if capture is None else Copied("The path of the capture", str(capture["path"]))
        session = self.sessions.current_item(self.workspace.core.sessions)
        return None if session is None else Copied(f"Session {session['key']}, as JSON,", json_text(session, indent=2))

    @work(exclusive=True, group="refresh")
    async def action_refresh(self) -> None:
        await self.attempt(self.workspace.core.refresh("sessions"))

    def action_ping(self) -> None:
        start_worker(self, self._ping, "ping")

    async def _ping(self) -> None:
        await self._server.ping()
        self._paint_notes()

    async def action_open_row(self) -> None:
        row = self._row
        if isinstance(row, CaptureGroup):
            self._list.toggle(row)
            self._paint_notes()
        elif row is None:
            return
        elif self.sessions.has_focus:
            await self.workbench.open_messages(f"session:{row['key']}")
        else:
            start_worker(self, partial(open_capture, self, row), "capture")

    def _act_on_capture(self, act: Callable[[Pane, dict[str, Any]], Coroutine[Any, Any, None]]) -> None:
        if (capture := self._list.capture) is not None:
            start_worker(self, partial(act, self, capture), "capture")

    def action_rename_capture(self) -> None:
        self._act_on_capture(rename)

    def action_pin_capture(self) -> None:
        self._act_on_capture(toggle_pin)

    def action_note_capture(self) -> None:
        self._act_on_capture(edit_note)

    def action_delete_capture(self) -> None:
        self._act_on_capture(ask_to_delete)

    def action_mark_capture(self) -> None:
        if (capture := self._list.capture) is not None:
            self._list.mark(capture)

    def action_compare_captures(self) -> None:
        first, second = self._list.marked, self._list.capture
        if first is not None and second is not None:
            start_worker(self, partial(compare, self, first, second), "capture")

    def action_search_captures(self) -> None:
        core = self.workspace.core
        own = [capture["project"] for capture in core.captures if capture["path"] == core.info.get("capture")]
        server = own[0] if own else ""
        readable = [capture for capture in core.captures if not capture.get("problem")]
        start_worker(self, partial(search, self, readable, server), "capture")

    def action_next_list(self) -> None:
        self.screen.focus_next()

    def action_edit_roots(self) -> None:
        start_worker(self, self._server.edit_roots, "roots")

    @work(exclusive=True, group="http")
    async def action_toggle_http(self) -> None:
        await (stop_http if self.workspace.core.info.get("http_url") else start_http)(self)

    def action_copy_http_url(self) -> None:
        self.app.copy_to_clipboard(str(self.workspace.core.info["http_url"]))
        self.notify("The URL is in the clipboard.", title=CLIPBOARD, markup=False)

    @on(Lines.Selected)
    async def _row_opened(self) -> None:
        await self.action_act("open_row")

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        self._paint_notes()


def core_text(info: dict[str, Any], *, is_lost: bool = False, is_short: bool = False) -> Content:
    """Return the description of the core itself, from the latest answer to `core/info`.

    `is_short` leaves out the file that it records to, which the capture shows as well.
    """
    if is_lost:
        return Content.assemble(
            (f"core {info.get('id', '')}", "bold"),
            ("  lost", BAD),
            f" – {key_for('restart')} restarts it",
            ("\nrecorded in  ", MUTED),
            escaped(str(info.get("capture") or "nothing")),
        )
    key = key_for("toggle_http", SessionsPane.PLACE)
    url = info.get("http_url")
    return Content.assemble(
        (f"core {info.get('id', '')}", "bold"),
        f"  pid {info.get('pid', '')}  {escaped(str(info.get('project') or ''))}\n",
        ("HTTP  ", MUTED),
        *((url, (f"  {key} stops it", MUTED)) if url else ((f"not served; {key} starts it", MUTED),)),
        *(() if is_short else _recording(info)),
        (f"  ! {escaped(str(problem))}" if (problem := info.get("capture_problem")) else "", WARN),
    )


def _recording(info: dict[str, Any]) -> tuple[tuple[str, str], str]:
    return ("\nrecording to  ", MUTED), escaped(str(info.get("capture") or "nothing"))


def session_text(session: dict[str, Any], now: float) -> Content:
    """Return what a session negotiated, its user, and the requests it is waiting for."""
    capabilities = ", ".join(session["capabilities"]) or "none"
    parts: list[Content | str | tuple[str, str]] = [
        (f"{session['key']} ", "bold"),
        ("can  ", MUTED),
        escaped(capabilities),
    ]
    if user := session.get("user"):
        parts += [("  for  ", MUTED), escaped(user)]
    for call in session["in_flight"]:
        parts.append((f"\n… {escaped(call['method'])} {escaped(call['name'] or '')}", WARN))
        parts.append(f"  id {escaped(str(call['id']))}, for {age(now - call['started'])}")
    return Content.assemble(*parts)


def _session_row(session: dict[str, Any], now: float) -> tuple[StyledText, ...]:
    client = session["client"] or {}
    name = f"{client.get('name', '…')} {client.get('version', '')}".strip()
    is_closed = session["closed"] is not None
    muted = "table--muted" if is_closed else ""
    return (
        (session["key"], muted),
        (name, muted),
        (session["transport"], "table--muted"),
        (_revision(session), "table--muted"),
        (f"{session['calls']:,}", muted),
        (str(len(session["in_flight"]) or ""), "table--warn"),
        ("closed" if is_closed else age(now - session["opened"]), "table--muted"),
    )


def _revision(session: dict[str, Any]) -> str:
    date = session["revision"] or "…"
    return f"{date} stateless" if date in STATELESS_REVISIONS else date
