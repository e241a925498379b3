"""Which messages a list shows: those that match the filter, after what was hidden, up to where the list is frozen."""

from dataclasses import dataclass

from workbench.model.describe import plural
from workbench.model.traffic.filter import EVERYTHING, Filter
from workbench.model.traffic.traffic_view import TrafficView

# While records arrive, a few are always new.
_NEARLY_ALL = 0.99


@dataclass
class ListScope:
    """The state of a list, in which numbers are those of records."""

    filter: Filter = EVERYTHING
    is_filtering: bool = True  # whether messages that do not match are hidden; else the matches are marked
    paused_at: int = 0  # the last message of a frozen list; 0 if it is not frozen
    cleared_up_to: int = 0  # the last message that "clear" hides; 0 for none

    @property
    def applied(self) -> Filter:
        """The filter without what was hidden or is new."""
        return self.filter if self.is_filtering else EVERYTHING

    @property
    def shown(self) -> Filter:
        """The filter of the messages in the list."""
        return self.applied.after(self.cleared_up_to).until(self.paused_at)

    @property
    def marking(self) -> Filter | None:
        """The filter whose matches are marked; None to mark nothing."""
        return None if self.is_filtering else self.filter

    def restart(self) -> None:
        """Show all messages of another timeline that match."""
        self.cleared_up_to = self.paused_at = 0

    def facts(self, view: TrafficView, *, is_following: bool) -> list[str]:
        """Return what the note beside the filter shows: how many rows there are, and why not all."""
        timeline = view.timeline
        facts = [plural(len(view), "row")]
        if self.applied is not EVERYTHING or self.cleared_up_to:
            facts = [f"{len(view):,} of {plural(view.total, 'row')}"]
        elif self.filter is not EVERYTHING:
            facts.append("filter off")
        if self.paused_at:
            facts.append(f"paused, {len(timeline) - timeline.place_of(self.paused_at + 1):,} new")
        elif view.progress < _NEARLY_ALL:
            facts.append(f"searched {view.progress:.0%}")
        elif is_following:
            facts.append("following")
        return facts
