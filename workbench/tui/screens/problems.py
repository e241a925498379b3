"""Problems of the tools, with place and advice; findings about their definitions; and the result of the last reload.

Problems of the load come first; the findings below them are computed here, from the definitions, on a thread.
"""

import asyncio
import subprocess
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult, SuspendNotSupported
from textual.content import Content
from textual.widgets import Static

from workbench.model.describe import plural
from workbench.model.lint import LintReport, lint
from workbench.model.reloads import keeps_the_last
from workbench.model.short_text import escaped
from workbench.tui.actions import bindings
from workbench.tui.colours import BAD, GOOD, MUTED, WARN
from workbench.tui.editor import editor_command, interrupts_end_the_editor
from workbench.tui.pane import Pane
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import Part
from workbench.tui.widgets.table import Table

_SEVERITIES = {"error": ("✗", "table--bad"), "warning": ("!", "table--warn"), "advice": ("·", "table--muted")}
# How many tools are checked: more findings could not be read here, and would delay the screen.
_MAX_TOOLS = 2000
# How many findings are shown.
_MAX_ROWS = 5000
# How many of the most expensive definitions are named.
_MAX_EXPENSIVE = 5
# How many of the files that are not loaded are named.
_MAX_SKIPPED = 3
_SIGNS = {"added": ("+", GOOD), "changed": ("~", WARN), "removed": ("-", "$text-error")}


class ProblemsPane(Pane):
    """The problems and the last reload."""

    PLACE: ClassVar[str] = "problems"
    BINDINGS = bindings(PLACE)

    DEFAULT_CSS = """
    ProblemsPane {
        padding: 1;
        & Table { height: auto; max-height: 40%; }
        & #cost-note { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._report = LintReport((), ())
        self._rows: list[dict[str, Any]] = []
        """The problems of the load, then the findings about the definitions."""

    def compose(self) -> ComposeResult:
        """Create the list, and the notes on the problem, the reload and the cost of the definitions."""
        yield Table(("", "problem", "where"), stretched=1, nothing="✓ No problems.", id="problem-table")
        yield Static(id="problem-note", classes="note")
        yield Static(id="reload-note", classes="note")
        yield Static(id="cost-note", classes="note")

    @property
    def table(self) -> Table:
        """The list."""
        return self.query_one("#problem-table", Table)

    def on_shown(self) -> None:
        """Update and take the focus."""
        self.workspace_changed("problems")
        self.take_focus()

    def take_focus(self) -> None:
        """Focus the list of problems."""
        self.screen.set_focus(self.table)

    def workspace_changed(self, part: str) -> None:
        """Update the problems and the reload, and check the definitions again."""
        if part == "problems":
            self._paint()
            self._update_findings(self.workspace.catalog)

    @work(exclusive=True, group="lint")
    async def _update_findings(self, catalog: dict[str, Any]) -> None:
        tools = catalog.get("tools") or []
        self._report = await asyncio.to_thread(lint, {**catalog, "tools": tools[:_MAX_TOOLS]})
        self._paint()

    def _paint(self) -> None:
        findings = ({**finding.to_json(), "source_line": ""} for finding in self._report.findings)
        self._rows = list(islice(chain(self.workspace.problems, findings), _MAX_ROWS))
        self.table.show_rows([_row(problem) for problem in self._rows])
        self._paint_note()
        cost = self.query_one("#cost-note", Static)
        cost.display = bool(self._report.costs)
        cost.update(cost_text(self._report, len(self.workspace.catalog.get("tools") or [])))
        self.query_one("#reload-note", Static).update(reload_text(self.workspace.catalog))

    def why_not(self, action: str) -> str | None:
        """Return why an action is not available at the moment; None when it is."""
        if action == "reload" and self.workspace.is_relay:
            return "The core relays another server; only tools of a folder can be reloaded."
        if action == "edit_source":
            if self._problem is None:
                return "There is no problem to edit."
            if not self._problem["file"]:
                return "This problem has no file."
        return None

    @work(exclusive=True, group="reload")
    async def action_reload(self) -> None:
        """Load the tools again now."""
        await self.attempt(self.workspace.reload())

    def action_edit_source(self) -> None:
        """Open the editor at the line of the problem."""
        if (problem := self._problem) is not None:
            edit(self, problem["file"], problem["line"])

    @on(Lines.Highlighted, "#problem-table")
    def _moved(self) -> None:
        self._paint_note()

    @on(Lines.Selected, "#problem-table")
    async def _opened(self) -> None:
        await self.action_act("edit_source")

    @property
    def _problem(self) -> dict[str, Any] | None:
        """The problem under the cursor."""
        rows = self._rows
        return rows[self.table.cursor] if self.table.cursor < len(rows) else None

    def _paint_note(self) -> None:
        problem = self._problem
        note = self.query_one("#problem-note", Static)
        note.display = problem is not None
        if problem is not None:
            note.update(problem_text(problem))


def edit(pane: Pane, file: str, line: int) -> None:
    """Run the user's editor in the terminal until it closes."""
    command = editor_command(file, max(1, line))
    try:
        with pane.app.suspend(), interrupts_end_the_editor():
            subprocess.run(command, check=False)
    except SuspendNotSupported:
        pane.notify("This terminal cannot run an editor.", severity="error", markup=False)
    except OSError as error:
        pane.notify(f"{command[0]} did not start: {error}. Set $EDITOR.", severity="error", markup=False)


def problem_text(problem: dict[str, Any]) -> Content:
    """Return the details of a problem."""
    parts: list[Content | tuple[str, str]] = [(escaped(problem["message"]), "bold"), Content("\n")]
    if problem["file"]:
        parts.append((f"{escaped(problem['file'])}:{problem['line']}\n", MUTED))
    if problem["source_line"]:
        parts.append((f"{problem['line']:>6} │ {escaped(problem['source_line'])}\n", WARN))
    if problem["fix"]:
        parts.append((f"→ {escaped(problem['fix'])}", GOOD))
    return Content.assemble(*parts)


def cost_text(report: LintReport, tools: int) -> Content:
    """Return the cost of the definitions in every request to a model, and the most expensive of them.

    Args:
        report: the findings about the tools that were checked.
        tools: the number of all tools.
    """
    expensive = " · ".join(f"{escaped(cost.tool)} {cost.tokens:,}" for cost in report.costs[:_MAX_EXPENSIVE])
    left_out = f"Only the first {_MAX_TOOLS:,} of {tools:,} tools are checked here; `workbench lint` checks all."
    return Content.assemble(
        (f"{plural(len(report.costs), 'tool')}, about {report.tokens:,} tokens in every request to a model", "bold"),
        (f"\n{expensive}", MUTED),
        (f"\n{left_out}" if tools > _MAX_TOOLS else "", WARN),
    )


def reload_text(catalog: dict[str, Any]) -> Content:
    """Return the result of the last load or reload."""
    number = catalog.get("generation") or 0
    if not number:
        return Content.styled("Nothing has been loaded yet.", MUTED)
    name = "First load" if number == 1 else f"Reload {number - 1}"
    duration = f" in {catalog['duration_ms']:.0f} ms"
    if keeps_the_last(catalog):
        return Content.assemble(
            (f"✗ {name} failed{duration}", BAD),
            "\nThe previous tools are still served. Save a file to reload.",
        )
    parts: list[Content | str | tuple[str, str]] = [(f"✓ {name}{duration}", f"bold {GOOD}")]
    if not catalog["ok"]:
        parts = [
            (f"✗ {name}{duration}, loaded in part", BAD),
            "\nDefinitions without errors are served. Save a file to reload.",
        ]
    if catalog["reloaded"]:
        parts.append((f"\nmodules: {escaped(', '.join(catalog['reloaded']))}", MUTED))
    parts += _offers(catalog) if number == 1 else _changes(catalog["changes"] or {})
    return Content.assemble(*parts, *_skipped(catalog.get("skipped", [])))


def _offers(catalog: dict[str, Any]) -> list[Content]:
    """The number of tools, resources and prompts."""
    resources = len(catalog["resources"]) + len(catalog["templates"])
    counts = ((len(catalog["tools"]), "tool"), (resources, "resource"), (len(catalog["prompts"]), "prompt"))
    return [Content("\n" + ", ".join(plural(count, noun) for count, noun in counts))]


def _skipped(skipped: list[dict[str, str]]) -> list[tuple[str, str]]:
    """The number of files that are not loaded, and the first of them with their reasons."""
    if not skipped:
        return []
    some = "; ".join(f"{Path(entry['file']).name}: {entry['reason']}" for entry in skipped[:_MAX_SKIPPED])
    more = "; …" if len(skipped) > _MAX_SKIPPED else ""
    text = f"{plural(len(skipped), 'file')} not loaded ({some}{more}); `workbench files` lists all"
    return [(f"\n{escaped(text)}", MUTED)]


def _changes(changes: dict[str, dict[str, list[str]]]) -> list[Content | tuple[str, str]]:
    """One line for each kind of change and each kind of definition."""
    lines: list[Content | tuple[str, str]] = []
    for part, kinds in changes.items():
        for kind, (sign, colour) in _SIGNS.items():
            if names := kinds.get(kind):
                lines += [Content("\n"), (f"{sign} {part} {kind}: {escaped(', '.join(names))}", colour)]
    return lines or [("\nNothing that clients see has changed.", MUTED)]


def _row(problem: dict[str, Any]) -> tuple[Part, ...]:
    where = f"{Path(problem['file']).name}:{problem['line']}" if problem["file"] else ""
    return _SEVERITIES[problem["severity"]], (problem["message"], ""), (where, "table--muted")
