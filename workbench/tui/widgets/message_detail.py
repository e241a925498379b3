"""The message under the cursor of the inspector: what it is in words, then both halves of the exchange as JSON."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter

from textual.timer import Timer

from server_core.errors import WorkbenchError
from server_core.protocol.revisions import REVISIONS
from workbench.model.describe import plural
from workbench.model.messages.answer_difference import answer_difference, message_difference
from workbench.model.messages.violations import describe_violations, violations
from workbench.model.short_text import escaped
from workbench.model.traffic.entry import Entry, parse_object
from workbench.model.traffic.explain import explain
from workbench.model.traffic.held_records import edited_versions
from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.result import ResultView
from workbench.tui.widgets.sections import Section
from workbench.tui.widgets.traffic_columns import heading_of
from workbench.tui.workers import start_worker
from workbench.workspace.protocol_schemas import schema_of
from workbench.workspace.traffic_source import TrafficSource

_PAUSE_S = 0.15

_VALIDATED = 1_000_000
"""Bytes up to which a message is validated."""


class MessageDetail(ResultView):
    """A message with its request or response."""

    def __init__(self, source: Callable[[], TrafficSource], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._source = source
        # What is shown: the timeline and number of the message, then the number and state of each half.
        self._key: tuple[object, ...] = ()
        self._shown_key: tuple[object, ...] = ()  # That of the sections, which take a moment to load.
        self._timer: Timer | None = None
        # Whether the other half was asked for before the message was loaded.
        self._is_other_wanted = False

    @property
    def is_empty(self) -> bool:
        return not self._key

    def show_entry(self, entry: Entry | None) -> None:
        """Show a message, if it is not shown yet; None changes nothing."""
        if entry is None or not self.display:
            return
        halves = self._halves(entry)
        states = ((half.seq, half.status, half.hold, half.annotation) for half in halves)
        key = (self._source().timeline, entry.seq, *states)
        if key != self._key:
            self._key = key
            start_worker(self, partial(self._load, entry, halves), "detail")

    def clear(self) -> None:
        self._key = ()
        self._is_other_wanted = False
        self.show()

    def show_soon(self, entry: Callable[[], Entry | None]) -> None:
        """Show the message that `entry` returns in a moment: messages may arrive faster than they can be painted."""
        if self._timer is None:
            self._timer = self.set_timer(_PAUSE_S, lambda: self._show_newest(entry))

    def go_to_other_half(self) -> None:
        """Go from the request to its response, or back; once the message is loaded, if it is not yet."""
        if not self._key or self._shown_key != self._key:
            self._is_other_wanted = True
            return
        halves = [number for number, section in enumerate(self._sections.shown) if section.is_message]
        current = self._sections.line_at(self.cursor)[0]
        self.go_to_section(0 if current >= halves[-1] else halves[-1])

    async def body(self, entry: Entry) -> bytes:
        """Return the bytes of a message, from the core if the timeline no longer stores them."""
        if entry.data is not None:
            return entry.data
        try:
            return await self._source().body(entry)
        except WorkbenchError as error:
            return f"This body is no longer in memory, and could not be read again: {error}".encode()

    def _show_newest(self, entry: Callable[[], Entry | None]) -> None:
        self._timer = None
        self.show_entry(entry())

    def _halves(self, entry: Entry) -> list[Entry]:
        other = self._source().timeline.pair_of(entry)
        return [entry] if other is None else [entry, other]

    async def _load(self, entry: Entry, halves: list[Entry]) -> None:
        source, key = self._source(), self._key
        notes = [escaped(each.annotation.text) for each in halves if each.annotation]
        lines = [*notes, *explain(source.timeline, entry)]
        if (run := source.run_of(entry)) is not None:
            lines.append(f"Run {run.title}: {key_for('show_run', 'inspector')} shows it in Tools.")
        text = "\n".join(lines)
        sections = [Section(heading_of(*halves), JsonDocument(text.encode()), links="all")]
        for half in halves:
            heading = "" if half == entry else heading_of(half, entry)
            body = JsonDocument(await self.body(half))
            sections.append(Section(heading, body, "json--other", is_message=True, links="heading"))
        added = (await self._difference(halves), await self._change(halves), await self._violations(halves))
        sections[1:1] = [section for section in added if section is not None]
        # The list may be empty by now.
        if self._key == key:
            self.show(*sections)
            self._shown_key = key
            if self._is_other_wanted:
                self._is_other_wanted = False
                # The detail may have no height yet.
                self.call_after_refresh(self.go_to_other_half)

    async def _difference(self, halves: list[Entry]) -> Section | None:
        """Return how the answer differs from that to the request which was sent again here; None if it was not."""
        source = self._source()
        request, *answers = sorted(halves, key=attrgetter("seq"))
        original = source.original_of(request)
        before = None if original is None else source.timeline.pair_of(original)
        if original is None or before is None or not answers:
            return None
        lines = answer_difference(await self.body(before), await self.body(answers[0]))
        heading = f"Against the answer to #{original.seq}: {plural(len(lines), 'change') if lines else 'the same'}"
        return Section(heading, JsonDocument("\n".join(lines).encode()), "json--other", links="heading")

    async def _change(self, halves: list[Entry]) -> Section | None:
        """Return how a message was changed while it was held, with what was delivered instead; None if none was."""
        timeline = self._source().timeline
        for half in halves:
            arrived, passed = edited_versions(timeline, half)
            if arrived is not None and passed is not None:
                lines = message_difference(await self.body(arrived), await self.body(passed))
                heading = f"#{arrived.seq} was changed to #{passed.seq} while it was held: "
                heading += plural(len(lines), "change") if lines else "the same values"
                return Section(heading, JsonDocument("\n".join(lines).encode()), "json--other", links="heading")
        return None

    async def _violations(self, halves: list[Entry]) -> Section | None:
        """Return what the message and its counterpart violate; None if nothing is known."""
        lines: list[str] = []
        request, *answers = sorted(halves, key=attrgetter("seq"))
        schema = schema_of(request.revision)
        if schema is None or max(half.size for half in halves) > _VALIDATED:
            return None
        asked = parse_object(await self.body(request))
        revision = REVISIONS[request.revision]
        tool = self._source().tool(request.name) if revision.structured_content else {}
        for half in (request, *answers):
            message = asked if half == request else parse_object(await self.body(half))
            if message is not None:
                problems = violations(schema, message, asked if answers else None, tool.get("outputSchema"))
                lines += describe_violations(problems, half.method, request.revision)
        if not lines:
            return None
        heading = f"✗ {plural(len(lines) // 2, 'violation')} of the specification"
        return Section(heading, JsonDocument("\n".join(lines).encode()))
