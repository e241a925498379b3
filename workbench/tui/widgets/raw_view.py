"""The JSON-RPC messages of a run as they crossed the wire, with secrets masked."""

from collections.abc import Iterator
from typing import Literal

from workbench.model.describe import plural
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.run_records import RunRecords
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.json_view import JsonView
from workbench.tui.widgets.sections import Section
from workbench.tui.widgets.traffic_columns import heading_of

MAX_SHOWN = 100
"""Messages; the Inspector shows the others."""


class RawView(JsonView):
    """The first messages of a run, and the last."""

    DEFAULT_CSS = """
    RawView { padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._records: RunRecords | None = None
        self._key: object = None

    def show_records(self, records: RunRecords | None) -> None:
        """Show the messages of a run; the view stays where it is while more messages of the run arrive."""
        key = None if records is None else (len(records.entries), records.run.status)
        if records is self._records and key == self._key:
            return
        cursor, top = (self.cursor, self.scroll_offset.y) if records is self._records else (0, 0)
        self._records, self._key = records, key
        self.show(*_sections(records))
        self.move_to(cursor)
        self.scroll_to(y=top, animate=False, immediate=True)


def _sections(records: RunRecords | None) -> Iterator[Section]:
    messages = [] if records is None else records.messages
    if records is not None and not messages:
        text = "No messages yet." if records.run.is_running else "The messages of this call are not in memory."
        yield _text_section(text)
    links: Literal["none", "heading"] = "heading" if records is not None and not records.run.capture else "none"
    for entry in messages[:MAX_SHOWN]:
        yield _section(entry, links)
    if (more := len(messages) - MAX_SHOWN - 1) > 0:
        yield _text_section(f"{plural(more, 'more message')}: {key_for('show_messages', 'tools')} shows all of them.")
    if len(messages) > MAX_SHOWN:
        yield _section(messages[-1], links)


def _section(entry: Entry, links: Literal["none", "heading"]) -> Section:
    body = entry.data
    if body is None:
        body = f"This body is no longer in memory: {key_for('show_messages', 'tools')} fetches it.".encode()
    return Section(heading_of(entry), JsonDocument(body), seq=entry.seq, is_message=True, links=links)


def _text_section(text: str) -> Section:
    return Section(text, JsonDocument(b""), "json--other")
