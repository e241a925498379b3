"""The messages of the call in view, beside its result in a wide terminal: rows as in the Inspector."""

from textual.strip import Strip

from workbench.model.traffic.run_records import RunRecords
from workbench.tui.widgets.traffic import TrafficList
from workbench.tui.widgets.traffic_columns import Messages


class WireList(TrafficList):
    """The messages of one call, oldest first, with what the tool printed and logged between them."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._records: RunRecords | None = None

    def show_records(self, records: RunRecords | None) -> None:
        """Show the messages of a call, or those that have arrived since."""
        if records is not self._records:
            self._records, self.cursor = records, 0
        self.lines_changed()

    @property
    def line_count(self) -> int:
        return 0 if self._records is None else len(self._records.entries)

    def render_heading(self, width: int) -> Strip:
        if not self.line_count:
            return self.paint([(" The messages of the call come here.", "traffic--muted")])
        return super().render_heading(width)

    def branch_at(self, index: int) -> None:
        # All of the rows are of one call.
        return None

    @property
    def is_unfolded(self) -> bool:
        return False

    def messages_at(self, index: int) -> Messages:
        assert self._records is not None
        return (self._records.entries[index],)
