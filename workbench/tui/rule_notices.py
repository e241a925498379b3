"""What rules have done, as notices; and the list of rules, if it is open."""

from typing import TYPE_CHECKING

from workbench.model.short_text import escaped, shortened

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from workbench.responder.responder import RuleReport
    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.workspace import Workspace

RULE = "rule"
"""The topic of notices about rules."""
_MAX_STREAMED = 60  # Characters of what a model has written last.
_MISTAKES = "mistakes in the rules"


class RuleNotices:
    """Notifies the user of each answer of a rule, since no question is shown for it."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._reported: RuleReport | None = None
        self._problems: tuple[str, ...] = ()

    def show_change(self, workspace: "Workspace") -> None:
        from workbench.tui.screens.rules_screen import RulesScreen

        rules = workspace.rules
        for screen in self._app.screen_stack:
            if isinstance(screen, RulesScreen):
                screen.rules_changed()
        if (problems := rules.stored.last_read.problems) != self._problems:
            self._problems = problems
            self._app.withdraw(_MISTAKES)
            if problems:
                more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
                text = f"workbench.yaml: {problems[0]}{more}"
                self._app.notify(text, title=_MISTAKES, severity="warning", markup=False)
        if rules.streamed:
            last = " ".join(rules.streamed[-_MAX_STREAMED:].split())
            self._app.notify(f"The model writes: {escaped(last)}", title=RULE, markup=False)
            return
        report = rules.last_report
        if report is None or report is self._reported:
            return
        self._reported = report
        message = shortened(" ".join(str(report.question.params.get("message") or report.question.kind).split()), 60)
        text = f"{escaped(message)}: {_sentence(report)}"
        severity: SeverityLevel = "warning" if report.has_failed else "information"
        self._app.notify(text, title=RULE, severity=severity, markup=False)


def _sentence(report: "RuleReport") -> str:
    if report.has_failed:
        return f"rule `{escaped(report.rule)}` {escaped(report.text)}."
    return f"{escaped(report.text)} by rule `{escaped(report.rule)}`."
