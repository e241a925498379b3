"""The results of benchmarks, and their tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Figure:
    """A number with its limit.

    Attributes:
        name: the measured quantity.
        value: the number.
        limit: its upper limit; None for a number that only informs, or that has a goal.
        unit: `ms`, `MB`, `x` (a ratio), ...
        goal: its lower limit, for a number of which more is better.
    """

    name: str
    value: float
    limit: float | None
    unit: str
    goal: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the limit is not exceeded, and the goal is reached."""
        return (self.limit is None or self.value <= self.limit) and (self.goal is None or self.value >= self.goal)

    @property
    def bound(self) -> str:
        """The limit or the goal as shown in the table; empty for a number that only informs."""
        if self.goal is not None:
            return f"at least {_number(self.goal)} {self.unit}"
        return "" if self.limit is None else f"{_number(self.limit)} {self.unit}"


@dataclass(frozen=True)
class Comparison:
    """Several numbers of several contenders, side by side.

    Attributes:
        title: the title of the table.
        columns: the titles of the numbers.
        rows: the name and the numbers of each contender; None for a missing number.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | None]]]


def interleaved(rounds: int, *measures: Callable[[], float]) -> list[list[float]]:
    """Run every measure once per round, after a warm-up round.

    Returns:
        For every measure, its result in each round.
    """
    results: list[list[float]] = [[] for _ in measures]
    for number in range(rounds + 1):
        for values, measure in zip(results, measures, strict=True):
            value = measure()
            if number:
                values.append(value)
    return results


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median of the rounds' ratios."""
    return median(our / their for our, their in zip(ours, theirs, strict=True))


def table(figures: Iterable[Figure]) -> str:
    """Return the figures as a Markdown table."""
    lines = ["| what | measured | limit | holds |", "|---|---|---|---|"]
    for figure in figures:
        verdict = "" if not figure.bound else "yes" if figure.holds else "**NO**"
        lines.append(f"| {figure.name} | {_number(figure.value)} {figure.unit} | {figure.bound} | {verdict} |")
    return "\n".join(lines)


def comparison_table(comparison: Comparison) -> str:
    """Return a comparison as a Markdown table."""
    lines = [f"| {' | '.join([comparison.title, *comparison.columns])} |", "|---" * (len(comparison.columns) + 1) + "|"]
    for name, values in comparison.rows:
        lines.append(f"| {' | '.join([name, *('' if value is None else _number(value) for value in values)])} |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
