"""The report about an error that ended the terminal: kinds of exceptions and places in the code, without values.

The text of an exception is left out as well: it may contain an argument, a path or a secret.
"""

import traceback
from dataclasses import dataclass
from types import TracebackType

from workbench.model.terminal_memory import TerminalMemory

_MAX_PLACES = 100  # For each exception; of an endless recursion, both ends are shown.

_MAX_CAUSES = 8


@dataclass(frozen=True, slots=True)
class TerminalFailure:
    """One exception, and its causes."""

    kind: str
    places: tuple[str, ...]  # `file:line in function`, the innermost last
    causes: tuple["TerminalFailure", ...] = ()  # what it was raised from, or what it groups

    @property
    def place(self) -> str:
        """Where it was raised; empty if unknown."""
        return self.places[-1] if self.places else ""

    def lines(self) -> list[str]:
        own = [self.kind, *(f"  {place}" for place in self.places)]
        return own + [line for cause in self.causes for line in ("because of:", *cause.lines())]


class TerminalFailed(Exception):
    """The terminal has ended because of an internal error; `memory` is not part of the report.

    `shown` is the visible pane and the dialogs above it; `core` the id of the core that keeps running, if any,
    unless it ran in the process of the terminal, with which it ends.
    """

    def __init__(
        self,
        failure: TerminalFailure,
        *,
        shown: str,
        size: tuple[int, int],
        core: str,
        in_process: bool = False,
        memory: TerminalMemory | None = None,
    ) -> None:
        super().__init__(failure.kind)
        self.failure = failure
        self.shown = shown
        self.size = size
        self.core = core
        self.in_process = in_process
        self.memory = memory


def failure_of(error: BaseException, depth: int = 0) -> TerminalFailure:
    # The same rules as those of Python's own tracebacks.
    related: tuple[BaseException, ...] = ()
    if isinstance(error, BaseExceptionGroup):
        related = error.exceptions
    elif error.__cause__ is not None:
        related = (error.__cause__,)
    elif error.__context__ is not None and not error.__suppress_context__:
        related = (error.__context__,)
    causes = () if depth == _MAX_CAUSES else tuple(failure_of(cause, depth + 1) for cause in related[:_MAX_CAUSES])
    return TerminalFailure(type(error).__qualname__, _places(error.__traceback__), causes)


def shortened_places(places: list[str]) -> tuple[str, ...]:
    """Return both ends of a long list of places."""
    if len(places) <= _MAX_PLACES:
        return tuple(places)
    half = _MAX_PLACES // 2
    return (*places[:half], f"... {len(places) - 2 * half} more", *places[-half:])


def place_of(file: str, line: int | None, function: str) -> str:
    return f"{file}:{line or '?'} in {function}"


def _places(trace: TracebackType | None) -> tuple[str, ...]:
    frames = traceback.walk_tb(trace)
    return shortened_places(
        [place_of(frame.f_code.co_filename, line, frame.f_code.co_qualname) for frame, line in frames]
    )
