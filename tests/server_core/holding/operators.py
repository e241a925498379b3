"""An operator of a tap, with timers that the test fires."""

from collections.abc import Callable, Iterable

from server_core.holding.holds import CLIENT_TIMEOUT, Holds
from server_core.holding.matcher import load_matcher
from server_core.records.tap import Record, Tap


class Operator:
    """The one operator of a tap: sets holds, and has the timers that these start."""

    def __init__(self, tap: Tap) -> None:
        self.now = 1000.0
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.holds = Holds(tap, self._later, lambda: self.now)
        self.holds.attach(self)

    def hold(self, text: str, client_timeout: float = CLIENT_TIMEOUT, records: Iterable[Record] = ()) -> None:
        """Hold what matches from now on, with these records before it."""
        self.holds.set(self, text, load_matcher(text), records, client_timeout, "the test")

    @property
    def held(self) -> list[int]:
        """The numbers of the messages that wait."""
        return [message["id"] for message in self.holds.describe()["held"]]

    def fire(self) -> None:
        """Let every timer of this moment expire."""
        timers, self.timers = self.timers, []
        for _, callback in timers:
            callback()

    def _later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], object]:
        timer = seconds, callback
        self.timers.append(timer)
        return lambda: self.timers.remove(timer) if timer in self.timers else None
