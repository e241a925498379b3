"""The connected clients and what they negotiated; the core itself; and the captures on disk."""

import time
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from server_core.protocol.revisions import STATELESS_REVISIONS
from workbench.model.describe import duration, json_text, size
from workbench.model.notices import CLIPBOARD
from workbench.model.short_text import escaped, shortened
from workbench.tui.colours import BAD, MUTED, WARN
from workbench.tui.key_bindings import bindings, key_for
from workbench.tui.pane import Copied, Pane
from workbench.tui.screens.capture_menu import open_capture, replay_command
from workbench.tui.screens.http_dialogs import start_http, stop_http
from workbench.tui.screens.server_dialogs import ServerActions
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.widgets.panels import DetailPanel, Panels, TablePanel
from workbench.tui.workers import start_worker

# Rows of the terminal below which the core has only one.
_LOW = 19
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
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._refresh_timer: Timer | None = None
        self._server = ServerActions(self)

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
            ("capture", "messages", "size", "started", "of"),
            wide_column=0,
            numbers=(1, 2),
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
        self.screen.set_focus(self.sessions)

    def on_mount(self) -> None:
        super().on_mount()
        self._set_height_class()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._set_height_class()

    def _set_height_class(self) -> None:
        is_low = self.app.size.height < _LOW
        if is_low != self.has_class("-low"):
            self.set_class(is_low, "-low")
            self._paint_core()

    def open_item(self, name: str) -> None:
        paths = [capture["path"] for capture in self.workspace.core.captures]
        if name in paths:
            self.captures.move_to(paths.index(name))
            self.screen.set_focus(self.captures)

    def workspace_changed(self, part: str) -> None:
        if part in ("sessions", "link"):
            now = self.workspace.clock()
            self._paint_core()
            self.query_one("#client-list", TablePanel).show_rows(
                [_session_row(session, now) for session in self.workspace.core.sessions]
            )
            self.query_one("#capture-list", TablePanel).show_rows(
                [_capture_row(capture) for capture in self.workspace.core.captures]
            )
            self._paint_notes()
        elif part == "timeline" and self._refresh_timer is None:
            # The core counts the calls, and does not notify of the counts.
            self._refresh_timer = self.set_timer(REFRESH_S, self._refresh_counts)

    def _refresh_counts(self) -> None:
        self._refresh_timer = None
        if self.workspace.connected:
            self.action_refresh()

    def _paint_core(self) -> None:
        is_lost = not self.workspace.connected
        text = core_text(self.workspace.core.info, is_lost=is_lost)
        if self.has_class("-low"):
            first, *rest = text.split("\n")
            text = Content("\n").join([first + Content.styled("  ↓ more (shift+tab, j)", MUTED), *rest])
        self.query_one("#core-note", DetailPanel).show(text)

    def _paint_notes(self) -> None:
        session = self.sessions.current_item(self.workspace.core.sessions)
        capture = self.captures.current_item(self.workspace.core.captures)
        self.show_note("#own-note", self._own_text())
        session_shown = None if session is None else session_text(session, self.workspace.clock())
        self.query_one("#client", DetailPanel).show(session_shown)
        self.query_one("#capture", DetailPanel).show(None if capture is None else capture_text(capture))

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
        url = self.workspace.core.info.get("http_url")
        if not self.workspace.connected and action in ("copy_http_url", "toggle_http", "refresh"):
            return f"The core is lost: press {key_for('restart')} to restart it."
        if action == "copy_http_url" and not url:
            return f"The core does not serve HTTP yet: press {key_for('toggle_http', self.PLACE)}."
        if action == "open_capture" and not self.workspace.core.captures:
            return "There is no capture on disk."
        if action == "copy" and self.copied() is None:
            return "There is nothing to copy in this list."
        return self._server.why_not(action)

    def copied(self) -> Copied | None:
        if self.captures.has_focus:
            capture = self.captures.current_item(self.workspace.core.captures)
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

    def action_open_capture(self) -> None:
        if (capture := self.captures.current_item(self.workspace.core.captures)) is not None:
            start_worker(self, partial(open_capture, self, capture), "capture")

    def action_edit_roots(self) -> None:
        start_worker(self, self._server.edit_roots, "roots")

    @work(exclusive=True, group="http")
    async def action_toggle_http(self) -> None:
        await (stop_http if self.workspace.core.info.get("http_url") else start_http)(self)

    def action_copy_http_url(self) -> None:
        self.app.copy_to_clipboard(str(self.workspace.core.info["http_url"]))
        self.notify("The URL is in the clipboard.", title=CLIPBOARD, markup=False)

    @on(Lines.Selected, "#capture-table")
    async def _capture_opened(self) -> None:
        await self.action_act("open_capture")

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        self._paint_notes()


def core_text(info: dict[str, Any], *, is_lost: bool = False) -> Content:
    """Return the description of the core itself, from the latest answer to `core/info`."""
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
        ("\nrecording to  ", MUTED),
        escaped(str(info.get("capture") or "nothing")),
        (f"  ! {escaped(str(problem))}" if (problem := info.get("capture_problem")) else "", WARN),
    )


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


def capture_text(capture: dict[str, Any]) -> Content:
    path = escaped(capture["path"])
    if problem := capture.get("problem"):
        return Content.assemble(path, "\n", (escaped(problem), BAD))
    key = key_for("open_capture", SessionsPane.PLACE)
    return Content.assemble(
        ("replay with  ", MUTED),
        escaped(replay_command(capture["path"])),
        (f"\n{key} opens it in the Inspector, copies this, or deletes it", MUTED),
    )


def age(seconds: float) -> str:
    """Return a duration in its largest unit: "12 s", "3 min", "2 h", "5 d"."""
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(0, seconds):.0f} s"


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


def _capture_row(capture: dict[str, Any]) -> tuple[StyledText, ...]:
    if capture.get("problem"):
        return (Path(capture["path"]).name, ""), ("", ""), ("", ""), ("cannot be read", "table--bad"), ("", "")
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(capture["started"]))
    return (
        (Path(capture["path"]).name, ""),
        (f"{capture['records']:,}", ""),
        (size(capture["bytes"]), "table--muted"),
        (f"{started}{'' if capture['ended'] else ' ●'}", "table--muted"),
        (capture["project"], "table--muted"),
    )
