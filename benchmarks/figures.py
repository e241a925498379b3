"""What a benchmark gives back, and how it is shown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Figure:
    """One number with its limit.

    Attributes:
        name: what was measured.
        value: the number.
        limit: what it must not exceed; None for a number that only informs.
        unit: `ms`, `MB`, `x` (a ratio), ...
    """

    name: str
    value: float
    limit: float | None
    unit: str

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        return self.limit is None or self.value <= self.limit


def interleaved(rounds: int, *measures: Callable[[], float]) -> list[list[float]]:
    """Run every measure once per round, and one round before that does not count.

    Returns:
        For every measure, what it gave in each round.
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
        limit = "" if figure.limit is None else f"{_number(figure.limit)} {figure.unit}"
        verdict = "" if figure.limit is None else "yes" if figure.holds else "**NO**"
        lines.append(f"| {figure.name} | {_number(figure.value)} {figure.unit} | {limit} | {verdict} |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
