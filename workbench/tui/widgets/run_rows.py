"""The rows about a run, as styled texts: its status, times and progress, and that it is held."""

from rich.cells import cell_len

from workbench.model import describe
from workbench.model.history import CallRun, RunStatus
from workbench.model.short_text import shortened
from workbench.model.traffic.held_records import CallHold
from workbench.model.traffic.run_records import RunTimes
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.paint import StyledText, fit

STATUS_SIGNS = {
    RunStatus.RUNNING: "…",
    RunStatus.OK: "✓",
    RunStatus.TOOL_ERROR: "✗",
    RunStatus.ERROR: "✗",
    RunStatus.CANCELLED: "-",
}
"""The sign of each status; colour is never the only difference."""

STATUS_CLASSES = {
    RunStatus.RUNNING: "run--running",
    RunStatus.OK: "run--ok",
    RunStatus.TOOL_ERROR: "run--bad",
    RunStatus.ERROR: "run--bad",
    RunStatus.CANCELLED: "run--muted",
}
"""The component class of each status; a widget that uses it declares :data:`RUN_CLASSES`."""

RUN_CLASSES = {"run--ok", "run--bad", "run--running", "run--muted", "run--done", "run--rest"}

_MAX_NAME, _SHORT_NAME, _MIN_NAME = 24, 12, 6  # Characters of the name of a tool.
_SEPARATOR = " · "
_FIGURES = "run--muted"
_WAIT, _SHORT_WAIT = "waited for you", "you"
# Shorter waits are those of answers that no person gave.
_SHORTEST_WAIT_S = 0.1


def status_rows(run: CallRun, duration: str, times: RunTimes | None, tokens: int, width: int) -> list[list[StyledText]]:
    """Return the facts about a run; its tokens and size are left out before its name is shortened, its times never.

    Where one row has no room for all times beside a short name, there are two.
    """
    name, status = shortened(run.tool, _MAX_NAME), _status(run, duration, width)
    known = [] if times is None or run.is_running else _times(times)
    more = [] if run.is_running else _amounts(times, tokens)
    for count in range(len(more), -1, -1):
        row = _row(run, [*status, *_separated([*known, *more[:count]])])
        if _room(row, width) >= (cell_len(name) if count else min(cell_len(name), _SHORT_NAME)):
            return [_with_name(name, row, width)]
    first = _with_name(name, _row(run, status), width)
    if times is None or not known:
        return [first]
    if _cells(_joined(known)) > width:
        known = _times(times, _SHORT_WAIT)
    return [first, _second_row([*known, *more], width)]


def _status(run: CallRun, duration: str, width: int) -> list[StyledText]:
    """Return the status with the time on the wire, and the task where there is room for a short name."""
    status: list[StyledText] = [
        (f"{STATUS_SIGNS[run.status]} {run.status.value}", STATUS_CLASSES[run.status]),
        (f"  {duration}", ""),
    ]
    task: StyledText = (f"  task {run.task}", "run--running" if run.is_running else _FIGURES)
    has_room = _room(_row(run, [*status, task]), width) >= min(cell_len(run.tool), _SHORT_NAME)
    return [*status, task] if run.task and has_room else status


def _times(times: RunTimes, wait: str = _WAIT) -> list[StyledText]:
    """Return the times that the code of the tool ran, that it waited for the user, and that it was held."""
    texts: list[StyledText] = [] if times.ran is None else [(f"tool {describe.duration(times.ran)}", "")]
    if times.waited >= _SHORTEST_WAIT_S:
        texts.append((f"{wait} {describe.duration(times.waited)}", _FIGURES))
    if times.held >= _SHORTEST_WAIT_S:
        texts.append((f"held {describe.duration(times.held)}", _FIGURES))
    return texts


def _amounts(times: RunTimes | None, tokens: int) -> list[StyledText]:
    texts: list[StyledText] = [] if times is None else [(describe.size(times.size), _FIGURES)]
    return [*texts, (f"~{describe.plural(tokens, 'token')}", _FIGURES)] if tokens else texts


def _separated(figures: list[StyledText]) -> list[StyledText]:
    return [(f"{_SEPARATOR}{text}", style) for text, style in figures]


def _row(run: CallRun, facts: list[StyledText]) -> list[StyledText]:
    """Return facts with the number of the run behind them."""
    number = f"  of {run.title}" if run.is_earlier else f"  #{run.number}" if run.number else ""
    return [*facts, (number, _FIGURES)]


def _room(row: list[StyledText], width: int) -> int:
    """Return the cells that a row leaves for the name."""
    return width - len(_SEPARATOR) - _cells(row)


def _with_name(name: str, row: list[StyledText], width: int) -> list[StyledText]:
    room = _room(row, width)
    return [(f"{shortened(name, room)}{_SEPARATOR}", _FIGURES), *row] if room >= min(len(name), _MIN_NAME) else row


def _cells(texts: list[StyledText]) -> int:
    return sum(cell_len(text) for text, _ in texts)


def _second_row(figures: list[StyledText], width: int) -> list[StyledText]:
    """Return the first figures, as many as fit."""
    count = len(figures)
    while count > 1 and _cells(_joined(figures[:count])) > width:
        count -= 1
    return _joined(figures[:count])


def _joined(figures: list[StyledText]) -> list[StyledText]:
    return [*figures[:1], *_separated(figures[1:])]


def held_row(hold: CallHold, now: float, width: int) -> list[StyledText]:
    """Return which message waits for an operator, and the keys to decide about it."""
    text = f"‖ held for {describe.duration(hold.seconds_at(now) - hold.seconds)}, #{hold.waiting}"
    keys = f"{key_for('show_messages', 'tools')} then {key_for('show_held', 'inspector')}"
    ways = (f"{text} · {keys} decide", f"{text} · {keys}")
    return [(next((way for way in ways if cell_len(way) <= width), text), "run--running")]


def progress_row(run: CallRun, width: int) -> list[StyledText]:
    step = run.progress[-1]
    count = f"{step.progress:g}" if step.total is None else f"{step.progress:g}/{step.total:g}"
    texts: list[StyledText] = []
    if step.fraction is not None:
        cells = max(8, min(20, width // 3))
        done = round(step.fraction * cells)
        texts += [("━" * done, "run--done"), ("━" * (cells - done), "run--rest"), (" ", "")]
    texts.append((f"{count} ", "run--muted"))
    used = sum(len(text) for text, _ in texts)
    texts.append((fit(step.message, width - used).rstrip(), ""))
    return texts
