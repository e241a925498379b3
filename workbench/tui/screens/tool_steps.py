"""The steps of the tools pane: columns side by side, or one at a time below a trail of titles."""

from textual.widget import Widget

from workbench.tui.colours import MUTED, STRONG
from workbench.tui.pane import Pane
from workbench.tui.screens.tool_questions import ToolQuestions
from workbench.tui.widgets.bar import Bar, Item
from workbench.tui.widgets.columns import Columns
from workbench.tui.widgets.light_classes import set_light_class
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_list import OfferList
from workbench.tui.widgets.outcome import Outcome

STEPS = ("offers", "form", "outcome", "question")
"""The ids of the columns, which are the steps in a narrow terminal; the last one only while a call asks."""

_BACK = "app.do('tools', 'back')"


class ToolSteps:
    """The step that the user is at; it moves the focus to one, and follows the focus."""

    def __init__(
        self, pane: Pane, offers: OfferList, form: OfferForm, outcome: Outcome, questions: ToolQuestions
    ) -> None:
        self.current = "offers"
        # The step from which the user went to the outcome.
        self._before = "form"
        self._pane = pane
        self._offers = offers
        self._form = form
        self._outcome = outcome
        self._questions = questions

    def go_to(self, step: str) -> None:
        """Go to a step, and focus it; the question may be in the place of the outcome."""
        self.set("question" if step == "outcome" and self._questions.covers_outcome else step)
        self.focus()

    def go_back(self) -> None:
        self.go_to(self._before if self.current == "outcome" else "offers")

    def leave_question(self, step: str, takes_focus: bool) -> None:
        """Go to a step after a question has opened or closed; an empty one is that behind the question."""
        if takes_focus:
            self.go_to(step)
        elif step or self.current == "question":
            self.set(step or "outcome")

    def focus(self) -> None:
        """Focus the current step."""
        match self.current:
            case "offers":
                self._pane.screen.set_focus(self._offers.offer_tree)
            case "form":
                self._form.focus_first()
            case "outcome":
                self._pane.screen.set_focus(self._outcome.front)
            case "question":
                self._questions.column.focus_question()

    def follow(self, focused: Widget) -> None:
        """Go to the step of the widget that has got the focus."""
        for step in STEPS:
            if self._pane.query_one(f"#{step}") in focused.ancestors_with_self:
                self.set(step)

    def set(self, step: str) -> None:
        """Go to a step without the focus."""
        if self.current in ("offers", "form"):
            self._before = self.current
        self.current = step
        self._pane.query_one(Columns).bring_to_front(step)
        self.mark()
        self.show_trail()

    def mark(self) -> None:
        """Mark the step that a narrow terminal shows; in others, no column needs new styles when the focus moves."""
        is_narrow = self._pane.has_class("-narrow")
        for step in STEPS:
            column = self._pane.query_one(f"#{step}")
            set_light_class(column, is_narrow and step == self.current, "-step", [column])

    def show_trail(self) -> None:
        """Show the titles of the steps up to the current one."""
        name = "" if self._form.offer is None else self._form.offer.name
        titles = {"offers": "Tools", "form": name, "outcome": "result", "question": "request"}
        items = [Item(" ")]
        for step in STEPS[: STEPS.index(self.current) + 1]:
            if step != "offers":
                items.append(Item(" › ", MUTED))
            items.append(Item(titles[step], STRONG) if step == self.current else Item(titles[step], MUTED, _BACK))
        self._pane.query_one("#crumbs", Bar).show_items(items)
