"""Problems of the tools, with place and advice; findings about their definitions; and the result of the last reload.

Problems of the load come first; the findings below them are those of `DefinitionChecks`.
"""

from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content

from workbench.model.describe import plural
from workbench.model.lint import LintReport
from workbench.model.short_text import escaped
from workbench.tui.colours import GOOD, MUTED, WARN
from workbench.tui.external_editor import edit
from workbench.tui.key_bindings import bindings
from workbench.tui.pane import Pane
from workbench.tui.reload_texts import reload_text
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.widgets.panels import DetailPanel, Panels, TablePanel
from workbench.workspace.definition_checks import MAX_TOOLS

_SEVERITIES = {"error": ("✗", "table--bad"), "warning": ("!", "table--warn"), "advice": ("·", "table--muted")}
# How many findings are shown.
_MAX_ROWS = 5000
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
        # The problems of the load, then the findings about the definitions.
        self._rows: list[dict[str, Any]] = []

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
    def _problem(self) -> dict[str, Any] | None:
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
        self._rows = list(islice(chain(core.problems, findings), _MAX_ROWS))
        self.query_one("#problem-list", TablePanel).show_rows([_row(problem) for problem in self._rows])
        self._paint_problem()
        parts = [reload_text(core.catalog, core.definitions.changes)]
        if report.costs:
            parts.append(cost_text(report, len(core.catalog.get("tools") or [])))
        self.query_one("#load", DetailPanel).show(Content("\n\n").join(parts))

    def _paint_problem(self) -> None:
        problem = self._problem
        self.query_one("#problem", DetailPanel).show(None if problem is None else problem_text(problem))

    def is_hinted(self, action: str) -> bool:
        # Neither the files of another server nor its tools are ours.
        return not self.workspace.core.is_relay and super().is_hinted(action)

    def why_not(self, action: str) -> str | None:
        if action == "reload" and self.workspace.core.is_relay:
            return "Only the tools of a folder can be reloaded."
        if action == "edit_source":
            if self._problem is None:
                return "There is no problem to edit."
            if not self._problem["file"]:
                return "This problem has no file."
        return None

    @work(exclusive=True, group="reload")
    async def action_reload(self) -> None:
        await self.attempt(self.workspace.core.reload())

    def action_edit_source(self) -> None:
        if (problem := self._problem) is not None:
            edit(self.app, problem["file"], problem["line"])

    @on(Lines.Highlighted, "#problem-table")
    def _moved(self) -> None:
        self._paint_problem()

    @on(Lines.Selected, "#problem-table")
    async def _opened(self) -> None:
        await self.action_act("edit_source")


def problem_text(problem: dict[str, Any]) -> Content:
    parts: list[Content | tuple[str, str]] = [(escaped(problem["message"]), "bold"), Content("\n")]
    if problem["file"]:
        parts.append((f"{escaped(problem['file'])}:{problem['line']}\n", MUTED))
    if problem["source_line"]:
        parts.append((f"{problem['line']:>6} │ {escaped(problem['source_line'])}\n", WARN))
    if problem["fix"]:
        parts.append((f"→ {escaped(problem['fix'])}", GOOD))
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


def _row(problem: dict[str, Any]) -> tuple[StyledText, ...]:
    where = f"{Path(problem['file']).name}:{problem['line']}" if problem["file"] else ""
    return _SEVERITIES[problem["severity"]], (problem["message"], ""), (where, "table--muted")
