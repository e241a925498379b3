"""Rounds in which all contenders alternate, and their costs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.calls.process import Process
from benchmarks.figures import ratio

ROUNDS = 5
ROUND_SECONDS = 0.4
FIRST_CALLS, MAX_CALLS = 200, 10_000
"""The number of calls to warm a server up, and again to estimate its speed."""


@dataclass(frozen=True)
class Batch:
    """The measurements of a client that made some calls.

    Attributes:
        seconds: the time from the first call to the last response.
        latencies: the duration of each call in seconds, if measured.
    """

    seconds: float
    latencies: Sequence[float] = ()


@dataclass(frozen=True)
class Measure:
    """The workload of a contender.

    Attributes:
        process: the server.
        work: makes the given number of calls.
        count: the number of calls in a round.
    """

    process: Process
    work: Callable[[int], Batch]
    count: int

    @classmethod
    def sized(cls, process: Process, work: Callable[[int], Batch]) -> "Measure":
        """Return a measure whose rounds last about :data:`ROUND_SECONDS`."""
        work(FIRST_CALLS)
        each = work(FIRST_CALLS).seconds / FIRST_CALLS
        return cls(process, work, min(max(FIRST_CALLS, int(ROUND_SECONDS / each)), MAX_CALLS))


@dataclass
class Costs:
    """The costs of the calls of a contender, round by round.

    Attributes:
        seconds: wall-clock seconds per call.
        cpu: processor seconds of the server per call.
        latency: the median time from a call to its response, in seconds.
    """

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    latency: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Calls per second."""
        return 1 / median(self.seconds)

    @property
    def cpu_us(self) -> float:
        """Microseconds of processor time per call."""
        return median(self.cpu) * 1e6

    @property
    def latency_us(self) -> float | None:
        """Microseconds from a call to its response; None if not measured."""
        return median(self.latency) * 1e6 if self.latency else None

    def times_faster(self, other: "Costs") -> float:
        """Return the ratio of calls per second to another's."""
        return ratio(other.seconds, self.seconds)

    def times_less_cpu(self, other: "Costs") -> float:
        """Return the ratio of the other's processor time to this."""
        return ratio(other.cpu, self.cpu)

    def cpu_above(self, floor: "Costs") -> float:
        """Return the microseconds of processor time per call in excess of the other's."""
        return median(own - bare for own, bare in zip(self.cpu, floor.cpu, strict=True)) * 1e6


def in_turns(measures: Mapping[str, Measure], rounds: int = ROUNDS) -> dict[str, Costs]:
    """Measure all contenders once in each round, after a warm-up round."""
    costs = {name: Costs() for name in measures}
    for number in range(rounds + 1):
        for name, measure in measures.items():
            once = _once(measure)
            if number:
                costs[name].seconds += once.seconds
                costs[name].cpu += once.cpu
                costs[name].latency += once.latency
    return costs


def _once(measure: Measure) -> Costs:
    before = measure.process.cpu_seconds()
    batch = measure.work(measure.count)
    used = measure.process.cpu_seconds() - before
    latency = [median(batch.latencies)] if batch.latencies else []
    return Costs([batch.seconds / measure.count], [used / measure.count], latency)
