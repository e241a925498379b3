"""For how long each message was held, from the events of the core alone: the same for a timeline and for a capture."""

from typing import Any

from workbench.model.traffic.entry import DELAYED, HELD, OUTCOMES

HOLD_EVENTS = {f"message_{state}": state for state in (HELD, DELAYED, *OUTCOMES)}
"""The events about one held message, and the state that it has after each."""


class HoldTimes:
    """The held messages of one core, by the numbers of their records; times are in seconds since the epoch.

    The latency of a request leaves out for how long the request was held. That of a response is not in it, since
    responses are recorded before they wait.
    """

    def __init__(self) -> None:
        self._since: dict[int, float] = {}
        self._seconds: dict[int, float] = {}

    def read(self, time: float, event: dict[str, Any]) -> None:
        """Read an event of the core; those that are about no held message are ignored."""
        name, number = event.get("event"), event.get("message")
        state = HOLD_EVENTS.get(name) if type(name) is str else None
        if state is None or type(number) is not int:
            return
        since = self._since.setdefault(number, time)
        if state not in (HELD, DELAYED):
            self._seconds[number] = max(time - since, 0.0)

    def seconds_of(self, number: int) -> float:
        """Return for how many seconds a message was held; 0 if it was not, or waits still."""
        return self._seconds.get(number, 0.0)
