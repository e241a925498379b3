"""Rounds in which all contenders take turns, and what they cost in them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.calls.process import Process
from benchmarks.figures import ratio

ROUNDS = 5
ROUND_SECONDS = 0.4
FIRST_CALLS, MOST_CALLS = 200, 10_000
"""The first warm a server up, and as many again tell how quick it is."""


@dataclass(frozen=True)
class Batch:
    """What a client found when it made some calls.

    Attributes:
        seconds: from the first call to the last answer.
        latencies: the seconds that each call took, where they were looked at.
    """

    seconds: float
    latencies: Sequence[float] = ()


@dataclass(frozen=True)
class Measure:
    """How to make a contender work.

    Attributes:
        process: the server.
        work: makes so many calls.
        count: how many calls a round has.
    """

    process: Process
    work: Callable[[int], Batch]
    count: int

    @classmethod
    def sized(cls, process: Process, work: Callable[[int], Batch]) -> "Measure":
        """Return the measure whose rounds take about :data:`ROUND_SECONDS`."""
        work(FIRST_CALLS)
        each = work(FIRST_CALLS).seconds / FIRST_CALLS
        return cls(process, work, min(max(FIRST_CALLS, int(ROUND_SECONDS / each)), MOST_CALLS))


@dataclass
class Costs:
    """What the calls of one contender cost, round by round.

    Attributes:
        seconds: per call, by the wall clock.
        cpu: processor seconds of the server per call.
        latency: the median time from a call to its answer, in seconds.
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
        """Microseconds from a call to its answer; None where nobody looked."""
        return median(self.latency) * 1e6 if self.latency else None

    def times_faster(self, other: "Costs") -> float:
        """Return how many times as many calls per second these are."""
        return ratio(other.seconds, self.seconds)

    def times_less_cpu(self, other: "Costs") -> float:
        """Return how many times as much processor time the other needs."""
        return ratio(other.cpu, self.cpu)

    def cpu_above(self, floor: "Costs") -> float:
        """Return the microseconds of processor time per call above what the other needs."""
        return median(one - bare for one, bare in zip(self.cpu, floor.cpu, strict=True)) * 1e6


def in_turns(measures: Mapping[str, Measure], rounds: int = ROUNDS) -> dict[str, Costs]:
    """Measure all contenders once in each round; one round before that does not count."""
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
