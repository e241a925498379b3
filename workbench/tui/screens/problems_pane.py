"""Problems of the tools, with place and advice; findings about their definitions; and the result of the last reload.

The findings are those of `DefinitionChecks`. What is the same for several tools is one row, which opens to theirs.
"""

from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content

from workbench.model.describe import plural
from workbench.model.lint import LintReport
from workbench.model.problem_groups import Problem, ProblemGroup, grouped, problem_line
from workbench.model.short_text import escaped
from workbench.tui.colours import GOOD, MUTED, WARN
from workbench.tui.external_editor import edit
from workbench.tui.key_bindings import bindings
from workbench.tui.pane import Copied, Pane
from workbench.tui.reload_texts import reload_text
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.widgets.panels import DetailPanel, Panels, TablePanel
from workbench.workspace.definition_checks import MAX_TOOLS

_SEVERITIES = {"error": ("✗", "table--bad"), "warning": ("!", "table--warn"), "advice": ("·", "table--muted")}
# How many findings are shown.
_MAX_ROWS = 5000
# How many problems of a group the detail lists.
_MAX_LISTED = 50
# How many of the most expensive definitions are named.
_MAX_EXPENSIVE = 5


class ProblemsPane(Pane):
    PLACE: ClassVar[str] = "problems"
    BINDINGS = bindings(PLACE)

    DEFAULT_CSS = """
    ProblemsPane {
        & #problem-list { row-span: 2; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Problem | ProblemGroup] = []
        # The keys of the groups whose problems are shown.
        self._open: set[tuple[str, ...]] = set()

    def compose(self) -> ComposeResult:
        table = Table(("", "problem", "where"), wide_column=1, empty_text="✓ No problems.", id="problem-table")
        yield Panels(
            TablePanel("Problems", table, id="problem-list"),
            DetailPanel("Problem", id="problem"),
            DetailPanel("Last load", id="load"),
        )

    @property
    def table(self) -> Table:
        return self.query_one("#problem-table", Table)

    @property
    def _row(self) -> Problem | ProblemGroup | None:
        return self.table.current_item(self._rows)

    def on_shown(self) -> None:
        self.workspace_changed("problems")
        self.keep_or_take_focus()

    def take_focus(self) -> None:
        self.screen.set_focus(self.table)

    def workspace_changed(self, part: str) -> None:
        if part == "problems":
            self._paint()

    def _paint(self) -> None:
        core = self.workspace.core
        report = core.checks.report or LintReport((), ())
        findings = ({**finding.to_json(), "source_line": ""} for finding in report.findings)
        problems = list(islice(chain(core.problems, findings), _MAX_ROWS))
        self._show_rows(grouped(problems), len(problems))
        parts = [reload_text(core.catalog, core.definitions.changes)]
        if report.costs:
            parts.append(cost_text(report, len(core.catalog.get("tools") or [])))
        self.query_one("#load", DetailPanel).show(Content("\n\n").join(parts))

    def _show_rows(self, rows: Iterable[Problem | ProblemGroup], count: int) -> None:
        self._rows, cells = [], []
        for row in rows:
            self._rows.append(row)
            if not isinstance(row, ProblemGroup):
                cells.append(_cells(row))
                continue
            is_open = row.key in self._open
            cells.append(_group_cells(row, is_open=is_open))
            if is_open:
                self._rows += row.problems
                cells += [_cells(problem, indent="  ") for problem in row.problems]
        self.query_one("#problem-list", TablePanel).show_rows(cells, count)
        self._paint_problem()

    def _paint_problem(self) -> None:
        row = self._row
        text = None if row is None else group_text(row) if isinstance(row, ProblemGroup) else problem_text(row)
        self.query_one("#problem", DetailPanel).show(text)

    def is_hinted(self, action: str) -> bool:
        # Neither the files of another server nor its tools are ours.
        return not self.workspace.core.is_relay and super().is_hinted(action)

    def copied(self) -> Copied | None:
        row = self._row
        if isinstance(row, ProblemGroup):
            title = f"The text of {plural(len(row.problems), 'problem')}"
            return Copied(title, "\n".join(map(problem_line, row.problems)))
        return None if row is None else Copied("The problem", problem_line(row))

    def why_not(self, action: str) -> str | None:
        if action == "copy" and self._row is None:
            return "There is no problem to copy."
        if action == "reload" and self.workspace.core.is_relay:
            return "Only the tools of a folder can be reloaded."
        if action == "edit_source":
            row = self._row
            if row is None:
                return "There is no problem to edit."
            if isinstance(row, ProblemGroup):
                return "Enter opens the group: each problem in it has its own place."
            if not row["file"]:
                return "This problem has no file."
        return None

    @work(exclusive=True, group="reload")
    async def action_reload(self) -> None:
        await self.attempt(self.workspace.core.reload())

    def action_edit_source(self) -> None:
        if (row := self._row) is not None and not isinstance(row, ProblemGroup):
            edit(self.app, row["file"], row["line"])

    @on(Lines.Highlighted, "#problem-table")
    def _moved(self) -> None:
        self._paint_problem()

    @on(Lines.Selected, "#problem-table")
    async def _opened(self) -> None:
        if isinstance(row := self._row, ProblemGroup):
            self._open ^= {row.key}
            self._paint()
        else:
            await self.action_act("edit_source")


def problem_text(problem: Problem) -> Content:
    parts: list[Content | tuple[str, str]] = [(escaped(problem["message"]), "bold"), Content("\n")]
    if problem["file"]:
        parts.append((f"{escaped(problem['file'])}:{problem['line']}\n", MUTED))
    if problem["source_line"]:
        parts.append((f"{problem['line']:>6} │ {escaped(problem['source_line'])}\n", WARN))
    if problem["fix"]:
        parts.append((f"→ {escaped(problem['fix'])}", GOOD))
    return Content.assemble(*parts)


def group_text(group: ProblemGroup) -> Content:
    """Return what the problems of a group have in common, and the message and place of each."""
    parts: list[Content | tuple[str, str]] = [(f"{escaped(group.title)}\n", "bold")]
    if group.fix:
        parts.append((f"→ {escaped(group.fix)}\n", GOOD))
    for problem in group.problems[:_MAX_LISTED]:
        place = _place(problem)
        parts += [(f"\n{place}  " if place else "\n", MUTED), Content(escaped(problem["message"]))]
    if rest := len(group.problems) - _MAX_LISTED:
        parts.append((f"\n… {rest:,} more" if rest > 0 else "", MUTED))
    return Content.assemble(*parts)


def cost_text(report: LintReport, tools: int) -> Content:
    """Return what the checked definitions, of so many tools in all, cost in every request to a model."""
    expensive = " · ".join(f"{escaped(cost.tool)} {cost.tokens:,}" for cost in report.costs[:_MAX_EXPENSIVE])
    left_out = f"Only the first {MAX_TOOLS:,} of {tools:,} tools are checked here; `workbench lint` checks all."
    return Content.assemble(
        (f"{plural(len(report.costs), 'tool')}, about {report.tokens:,} tokens in every request to a model", "bold"),
        (f"\n{expensive}", MUTED),
        (f"\n{left_out}" if tools > MAX_TOOLS else "", WARN),
    )


def _place(problem: Problem) -> str:
    return f"{escaped(Path(problem['file']).name)}:{problem['line']}" if problem["file"] else ""


def _cells(problem: Problem, indent: str = "") -> tuple[StyledText, ...]:
    return _SEVERITIES[problem["severity"]], (indent + problem["message"], ""), (_place(problem), "table--muted")


def _group_cells(group: ProblemGroup, *, is_open: bool) -> tuple[StyledText, ...]:
    names = ", ".join(group.names[:_MAX_LISTED])
    text = f"{'▾' if is_open else '▸'} {group.title} · {len(group.problems):,}{f': {names}' if names else ''}"
    return _SEVERITIES[group.severity], (text, ""), ("", "")
