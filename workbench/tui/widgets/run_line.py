"""The state of the current run: its status, duration and progress."""

from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from workbench.model import describe
from workbench.model.history import CallRun, RunStatus
from workbench.model.short_text import shortened
from workbench.model.traffic.run_records import RunTimes
from workbench.tui.widgets.links import with_link
from workbench.tui.widgets.paint import Paint, StyledText, fit

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

_TICKS_PER_SECOND = 10
_MAX_NAME, _SHORT_NAME, _MIN_NAME = 24, 12, 6  # Characters of the name of a tool.
_SEPARATOR = " · "
_LONG_WAIT = 3  # The weight of a long wait for the user: facts with a greater one are left out before it.
# Shorter waits are those of answers that no person gave.
_SHORTEST_WAIT_S = 0.1


class RunLine(Widget):
    """The status with the time, and below it, while the call runs, its progress with its message."""

    COMPONENT_CLASSES: ClassVar[set[str]] = RUN_CLASSES

    DEFAULT_CSS = """
    RunLine {
        height: 1;
        padding: 0 1;
        &.-progress { height: 2; }
        & > .run--ok { color: $text-success; }
        & > .run--bad { color: $text-error; text-style: bold; }
        & > .run--running { color: $text-warning; }
        & > .run--muted { color: $text-muted; }
        & > .run--done { color: $primary; }
        & > .run--rest { color: $panel-lighten-2; }
    }
    """

    def __init__(self, clock: Callable[[], float], *, id: str | None = None) -> None:
        super().__init__(id=id)
        # Returns seconds since the epoch, as the start of a run is counted.
        self._clock = clock
        self._run: CallRun | None = None
        self._times: RunTimes | None = None
        self._tokens = 0
        self._paint = Paint(self)
        self._ticks: Timer | None = None

    def on_mount(self) -> None:
        # The timer ticks only while a call runs, so that the processor is idle otherwise.
        self._ticks = self.set_interval(1 / _TICKS_PER_SECOND, self.refresh, pause=True)

    def show(self, run: CallRun | None) -> None:
        self._run = run
        self.set_class(run is not None and run.is_running and bool(run.progress), "-progress")
        if self._ticks is not None:
            if run is not None and run.is_running:
                self._ticks.resume()
            else:
                self._ticks.pause()
        self.refresh()

    def show_figures(self, times: RunTimes | None, tokens: int) -> None:
        """Show the times of the run as far as they are known, and about how many tokens its result has."""
        if (times, tokens) != (self._times, self._tokens):
            self._times, self._tokens = times, tokens
            self.refresh()

    def render_line(self, y: int) -> Strip:
        run, width = self._run, self.size.width
        texts: list[StyledText] = []
        if run is None:
            texts = [("No result yet.", "run--muted")] if y == 0 else []
        elif y == 0:
            texts = run_status(run, self._duration(run), self._times, self._tokens, width)
        elif run.is_running and run.progress:
            texts = _progress(run, width)
        strip = self._paint.strip(texts)
        if run is not None and y == 0 and run.number > 0:
            start = len(strip.text) - len(run.title)
            strip = with_link(strip, start, -1, "app.do('tools', 'show_messages')")
        return strip.adjust_cell_length(width, self.rich_style)

    def notify_style_update(self) -> None:
        # The theme has changed.
        self._paint.clear()
        super().notify_style_update()

    def _duration(self, run: CallRun) -> str:
        if run.is_running:
            return describe.duration(self._clock() - run.started)
        return describe.duration(run.duration) if run.wire is None else f"wire {describe.duration(run.wire)}"


def run_status(run: CallRun, duration: str, times: RunTimes | None, tokens: int, width: int) -> list[StyledText]:
    """Return the facts about a run; in a narrow line the least important are left out, and the name is shortened."""
    figures = "run--muted"
    name = shortened(run.tool, _MAX_NAME)
    facts: list[tuple[int, StyledText]] = [
        (0, (f"{STATUS_SIGNS[run.status]} {run.status.value}", STATUS_CLASSES[run.status])),
        (0, (f"  {duration}", "")),
        (2, (f"  task {run.task}" if run.task else "", "run--running" if run.is_running else "run--muted")),
    ]
    if times is not None and not run.is_running:
        if times.ran is not None:
            facts.append((4, (f" · tool {describe.duration(times.ran)}", "")))
        if times.waited >= _SHORTEST_WAIT_S:
            # An answer may take longer than everything else.
            weight = _LONG_WAIT if times.waited > times.wire else 5
            facts.append((weight, (f" · waited for you {describe.duration(times.waited)}", figures)))
        facts.append((6, (f" · {describe.size(times.size)}", figures)))
    if tokens and not run.is_running:
        facts.append((7, (f" · ~{describe.plural(tokens, 'token')}", figures)))
    number = f"  of {run.title}" if run.is_earlier else f"  #{run.number}" if run.number else ""
    facts.append((0, (number, figures)))
    while weight := max(facts, key=_weight)[0]:
        # A long wait, and the task, are worth a shorter name.
        if _room(facts, width) >= (cell_len(name) if weight > _LONG_WAIT else min(cell_len(name), _SHORT_NAME)):
            break
        facts = [fact for fact in facts if fact[0] < weight]
    texts = [text for _, text in facts]
    if (room := _room(facts, width)) >= min(len(name), _MIN_NAME):
        texts.insert(0, (f"{shortened(name, room)}{_SEPARATOR}", figures))
    return texts


def _room(facts: list[tuple[int, StyledText]], width: int) -> int:
    """Return the cells that the facts leave for the name."""
    return width - len(_SEPARATOR) - sum(cell_len(text) for _, (text, _) in facts)


def _weight(fact: tuple[int, StyledText]) -> int:
    return fact[0]


def _progress(run: CallRun, width: int) -> list[StyledText]:
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
