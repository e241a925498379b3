"""The servers that the terminal can open, with a search, and what is known about the one under the cursor."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input, Static

from workbench.model.servers.known_server import KnownServer, ServerMatch, search_servers
from workbench.model.short_text import escaped
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit, fit_matches

_MOST_ROWS = 10
_NAME_WIDTH = 20
_SOURCE_WIDTH = 16
_NARROW = 64  # Cells below which the columns are narrower.


class ServerLines(Lines):
    """A row for each server: its name, its command or URL, or what is wrong with it, and where it is from."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"server--source", "server--match", "server--problem", "server--target"}

    DEFAULT_CSS = """
    ServerLines {
        height: auto;
        & > .server--source { color: $text-muted; }
        & > .server--target { color: $text; }
        & > .server--match { color: $text-accent; text-style: bold underline; }
        & > .server--problem { color: $text-warning; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._matches: Sequence[ServerMatch] = ()

    @property
    def line_count(self) -> int:
        return len(self._matches)

    @property
    def server(self) -> KnownServer | None:
        """The server under the cursor."""
        return self._matches[self.cursor].server if self.cursor < len(self._matches) else None

    def show(self, matches: Sequence[ServerMatch]) -> None:
        self._matches = matches
        self.cursor = 0
        self.lines_changed()

    def get_content_height(self, *_: object) -> int:
        return min(_MOST_ROWS, max(1, len(self._matches)))

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        match = self._matches[index]
        server = match.server
        name_width, source_width = (_NAME_WIDTH, _SOURCE_WIDTH) if width >= _NARROW else (14, 12)
        name = fit_matches(server.name or "(file)", match.positions, name_width, "", "server--match")
        text, style = (server.problem, "server--problem") if server.problem else (server.target, "server--target")
        room = max(0, width - name_width - source_width - 3)
        return self.paint(
            [
                (" ", ""),
                *name,
                (" ", ""),
                (fit(text, room), style),
                (" ", ""),
                (fit(server.source, source_width), "server--source"),
            ],
            selected,
        )


class ServerList(Vertical):
    """The servers with their search; hidden while there are none."""

    DEFAULT_CSS = """
    ServerList {
        height: auto;
        display: none;
        &.-some { display: block; }
        & > Horizontal { height: 1; margin-top: 1; }
        & > Horizontal > Static { width: auto; padding: 0 1; text-style: bold; }
        & > Horizontal > Input { width: 1fr; margin: 0; }
        & > .about { height: 2; padding: 0 1; color: $text-muted; }
    }
    """

    class ServerChosen(Message):
        """The user opens a server."""

        def __init__(self, server: KnownServer) -> None:
            super().__init__()
            self.server = server

    def __init__(self) -> None:
        super().__init__()
        self._servers: list[KnownServer] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static("Servers")
            yield Input(placeholder="/ to search by name, command or client", compact=True)
        yield ServerLines()
        yield Static(classes="about", markup=False)

    @property
    def lines(self) -> ServerLines:
        return self.query_one(ServerLines)

    @property
    def search(self) -> Input:
        return self.query_one(Input)

    def show(self, servers: list[KnownServer]) -> None:
        self._servers = servers
        self.set_class(bool(servers), "-some")
        self._show_matches()

    def close_search(self) -> bool:
        """Empty the search and leave it; return whether there was one."""
        if not self.search.has_focus and not self.search.value:
            return False
        self.search.value = ""
        self.screen.set_focus(self.lines)
        return True

    def _show_matches(self) -> None:
        self.lines.show(search_servers(self._servers, self.search.value))
        self.lines.refresh(layout=True)
        self._show_details()

    def _show_details(self) -> None:
        server = self.lines.server
        self.query_one(".about", Static).update("There is no match." if server is None else _details(server))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._show_matches()

    @on(Lines.Highlighted)
    def _moved(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._show_details()

    @on(Lines.Selected)
    @on(Input.Submitted)
    def _open(self, event: Message) -> None:
        event.stop()
        server = self.lines.server
        if server is not None and not server.problem:
            self.post_message(self.ServerChosen(server))

    def on_key(self, event: events.Key) -> None:
        if event.key == "down" and self.search.has_focus:
            event.stop()
            self.screen.set_focus(self.lines)


def _details(server: KnownServer) -> Content:
    """Return where a server is from, and the names of its variables and headers."""
    parts = [f"{server.place}: {server.problem}" if server.problem else server.place or "Opened before."]
    for title, names in (("env", server.env), ("headers", server.headers)):
        if names:
            parts.append(f"{title} {', '.join(sorted(names))}")
    if server.folder:
        parts.append(f"in {server.folder}")
    return Content(escaped(" · ".join(parts)))
