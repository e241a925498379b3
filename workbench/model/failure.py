"""What a report tells of an error that ended the terminal: kinds of exceptions and places in the code, and no values.

The text of an exception is left out as well: it may repeat an argument, a path or a secret.
"""

import traceback
from dataclasses import dataclass
from types import TracebackType

_MOST_PLACES = 100
"""The most places of one exception; of an endless recursion, the two ends are what matters."""

_MOST_CAUSES = 8


@dataclass(frozen=True, slots=True)
class Failure:
    """One exception, and those behind it.

    Attributes:
        kind: the name of its class.
        places: where it came through, `file:line in function` each, the innermost last.
        causes: the exceptions that it was raised from, or that it groups.
    """

    kind: str
    places: tuple[str, ...]
    causes: tuple["Failure", ...] = ()

    @property
    def place(self) -> str:
        """Where it was raised; empty when that is not known."""
        return self.places[-1] if self.places else ""

    def lines(self) -> list[str]:
        """Return it as text, the causes behind it."""
        own = [self.kind, *(f"  {place}" for place in self.places)]
        return own + [line for cause in self.causes for line in ("because of:", *cause.lines())]


class TerminalFailed(Exception):
    """The terminal has ended by an error of its own.

    Args:
        failure: what is known of it.
        shown: what was on the screen: the pane and the dialogs above it.
        size: the columns and rows of the screen.
        core: the id of the core that goes on without it; empty when there is none.
    """

    def __init__(self, failure: Failure, *, shown: str, size: tuple[int, int], core: str) -> None:
        super().__init__(failure.kind)
        self.failure = failure
        self.shown = shown
        self.size = size
        self.core = core


def failure_of(error: BaseException, depth: int = 0) -> Failure:
    """Return what may be told of an exception."""
    behind: tuple[BaseException, ...] = ()
    if isinstance(error, BaseExceptionGroup):
        behind = error.exceptions
    elif error.__cause__ is not None:
        behind = (error.__cause__,)
    elif error.__context__ is not None and not error.__suppress_context__:
        behind = (error.__context__,)
    causes = () if depth == _MOST_CAUSES else tuple(failure_of(cause, depth + 1) for cause in behind[:_MOST_CAUSES])
    return Failure(type(error).__qualname__, _places(error.__traceback__), causes)


def shortened_places(places: list[str]) -> tuple[str, ...]:
    """Return the two ends of many places."""
    if len(places) <= _MOST_PLACES:
        return tuple(places)
    half = _MOST_PLACES // 2
    return (*places[:half], f"... {len(places) - 2 * half} more", *places[-half:])


def place_of(file: str, line: int | None, function: str) -> str:
    """Return one place in the code as text."""
    return f"{file}:{line or '?'} in {function}"


def _places(trace: TracebackType | None) -> tuple[str, ...]:
    frames = traceback.walk_tb(trace)
    return shortened_places(
        [place_of(frame.f_code.co_filename, line, frame.f_code.co_qualname) for frame, line in frames]
    )
