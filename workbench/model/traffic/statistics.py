"""How often each tool, resource, prompt or method was called, how often that failed, and how long it took."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from server_core.records.tap import Kind
from workbench.model.traffic.entry import ERROR, PASSED, TOOL_ERROR, Entry
from workbench.model.traffic.filter_paths import quoted


@dataclass(slots=True)
class CallStatistics:
    """The calls with one name."""

    method: str
    name: str  # the tool, resource or prompt; empty for other methods
    calls: int = 0
    errors: int = 0
    size: int = 0  # bytes of the requests and their responses
    times: list[float] = field(default_factory=list)  # seconds, of those that were answered, in order of their length

    @property
    def title(self) -> str:
        return self.name if self.method == "tools/call" and self.name else f"{self.method} {self.name}".rstrip()

    @property
    def filter(self) -> str:
        """The filter for these calls."""
        return f"tool:{quoted(self.name)}" if self.name else f"method:{quoted(self.method)}"

    def quantile(self, share: float) -> float | None:
        """Return the time within which a share of the calls was answered; None if none was."""
        return self.times[max(0, math.ceil(share * len(self.times)) - 1)] if self.times else None


def statistics(messages: Iterable[Entry]) -> list[CallStatistics]:
    """Return the statistics of the requests among the messages of clients, those with the most calls first."""
    by_name: dict[tuple[str, str], CallStatistics] = {}
    sizes: dict[int, CallStatistics] = {}
    for entry in messages:
        if entry.hold == PASSED:
            continue  # The call is that of the message that arrived.
        if entry.kind is Kind.REQUEST and entry.is_to_server:
            each = by_name.setdefault((entry.method, entry.name), CallStatistics(entry.method, entry.name))
            each.calls += 1
            each.errors += entry.status in (ERROR, TOOL_ERROR)
            each.size += entry.size
            if entry.latency is not None:
                each.times.append(entry.latency)
            sizes[entry.pair] = each
        elif entry.seq in sizes:
            sizes[entry.seq].size += entry.size
    for each in by_name.values():
        each.times.sort()
    return sorted(by_name.values(), key=lambda each: (-each.calls, each.title))
