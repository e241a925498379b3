"""The tools: a tree of the server's offers, a form to fill in, and the result.

In a wide terminal the three are side by side; in a narrow one they are three steps, and Esc goes one step back.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Button

from workbench.client.questions import Question
from workbench.model.catalog import Offer, OfferKind
from workbench.model.history import CallRun
from workbench.model.json_members import object_in
from workbench.model.missing_requirements import parse_attributes
from workbench.model.notices import UNAVAILABLE
from workbench.model.saved_calls import SavedCall
from workbench.model.terminal_memory import TerminalMemory
from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.actions import SENDING_ACTIONS, Action, find_action
from workbench.tui.external_editor import edit
from workbench.tui.key_bindings import bindings, key_for
from workbench.tui.pane import Copied, Pane
from workbench.tui.screens.offer_columns import OfferColumns
from workbench.tui.screens.resource_actions import ResourceActions
from workbench.tui.screens.run_actions import RunActions
from workbench.tui.screens.saved_calls_pane import SavedCallsPane
from workbench.tui.screens.session_dialogs import meta_screen
from workbench.tui.screens.tool_copies import copied_at
from workbench.tui.screens.tool_questions import ToolQuestions
from workbench.tui.screens.tool_steps import ToolSteps
from workbench.tui.screens.watch_actions import WatchActions
from workbench.tui.widgets.bar import Bar
from workbench.tui.widgets.columns import Columns
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_list import OfferList
from workbench.tui.widgets.outcome import Outcome
from workbench.tui.widgets.wire_list import WireList
from workbench.tui.workers import start_worker
from workbench.workspace.runs import Runs

# How long the cursor has to rest on an offer before its form is created.
_REST_S = 0.06
# The keys of this pane that act while a question has the focus.
_OVER_QUESTION = (("cancel_run",),)
# The footer shows these at the outcome of a call.
_OF_RUN = ("next_tab", "run_again", "edit_run")
_OF_OFFER = ("toggle_json", "show_definition", "edit_source")


class ToolsPane(SavedCallsPane):
    PLACE = "tools"
    NARROW = 110
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(PLACE)]

    DEFAULT_CSS = """
    ToolsPane {
        & > #crumbs { display: none; background: $surface; }
        & #offers { width: 29; }
        & #form { width: 1fr; }
        & #outcome { width: 1fr; }
        & #wire { width: 60; display: none; }
        &.-roomy #offers { width: 44; }
        &.-vast #offers { width: 1fr; }
        &.-vast #wire { display: block; }
        & #question { width: 1.25fr; display: none; }
        &.-asking #question { display: block; }
        &.-asking #outcome { display: none; }
        &.-asking #wire { display: none; }
        &.-roomy.-asking #outcome { display: block; }
        &.-roomy.-asking #waiting { display: none; }
        &.-narrow {
            & > #crumbs { display: block; }
            & > #columns > * { display: none; width: 1fr; border: none; }
            & > #columns > .-step { display: block; }
        }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        runs = Runs(lambda: self.workspace, lambda: self.workspace_changed("history"))
        self._list = OfferList(id="offers")
        self._list.border_title = "Offers"
        self._form = OfferForm(runs, id="form")
        self._form.border_title = "Form"
        self._outcome = Outcome(lambda: self.workspace.clock(), lambda: self.workspace.timeline, id="outcome")
        self._outcome.border_title = "Result"
        self._wire = WireList()
        self._questions = ToolQuestions(
            self, self._outcome, lambda step, takes_focus: self._steps.leave_question(step, takes_focus)
        )
        self._run_actions = RunActions(self, runs, self._outcome, self._questions.come_before, self._show_started)
        self._resources = ResourceActions(self, self._outcome, self._run_actions.read_again)
        self._watch = WatchActions(self)
        self._steps = ToolSteps(self, self._list, self._form, self._outcome, self._questions)
        self._offers = OfferColumns(self, self._list, self._form, self._offer_opened, lambda: self._steps.set("form"))
        # Runs from the cursor's last move to the creation of the form.
        self._rest_timer: Timer | None = None
        # Whether the children are mounted: the workspace may change before.
        self._is_ready = False

    def compose(self) -> ComposeResult:
        yield Bar(id="crumbs")
        columns = Columns(self._list, self._form, self._outcome, self._questions.column, id="columns")
        with columns, Vertical(id="wire") as wire:
            wire.border_title = "Wire"
            yield self._wire

    @property
    def focused_form(self) -> FormView | None:
        view = self._form.editor.view
        return None if view.focused_row is None else view

    @property
    def form_editor(self) -> FormEditor | None:
        return None if self._form.offer is None else self._form.editor

    @property
    def offer_list(self) -> OfferList:
        return self._list

    @property
    def offer_form(self) -> OfferForm:
        return self._form

    def open_call_in_form(self, call: SavedCall) -> bool:
        if (offer := self._offers.find(call.key)) is not None:
            if self._list.offer_tree.saved_call != call:
                self._list.show_offer(offer)
            self._offers.open(offer)
            self._form.load(offer, call.arguments, is_typed=not call.is_recorded)
        return offer is not None

    def show_form(self) -> None:
        self._steps.go_to("form")

    def on_mount(self) -> None:
        self._is_ready = True
        self._list.offer_tree.use_arrangement(self.arrangement)
        self.workspace_changed("catalog")
        self.workspace_changed("history")
        self.workspace_changed("questions")
        self.watch(self.app, "app_focus", self._offers.check_missing, init=False)
        self.set_interval(1, self._questions.count_down)
        self.watch_saved_calls()

    def on_shown(self) -> None:
        # Records are not passed to hidden panes.
        self._outcome.update_records()
        self._offers.check_missing()
        self._questions.show_again()
        self.keep_or_take_focus()

    @property
    def is_ready(self) -> bool:
        workspace = self.workspace
        is_loaded = self._offers.has_offers or workspace.core.is_loaded
        return is_loaded or not workspace.connected or bool(workspace.server_lost)

    def take_focus(self) -> None:
        """Focus the current step, or the list if the step has nothing to show."""
        if not self._is_ready:
            return  # `on_shown` calls this again once the pane is mounted.
        self._steps.go_to(
            "offers" if self._steps.current == "form" and self._form.offer is None else self._steps.current
        )

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._steps.follow(event.widget)

    def _set_width_classes(self, width: int) -> None:
        super()._set_width_classes(width)
        self._steps.mark()

    def workspace_changed(self, part: str) -> None:
        if not self._is_ready:
            return
        if part == "catalog":
            self._show_catalog()
        elif part == "link":
            self._offers.show_link()
        elif part == "history":
            self._run_actions.update()
            self._resources.update()
            self._questions.update()
        elif part == "resources":
            self._offers.show_marks()
            self._resources.update()
        elif part == "timeline":
            self._outcome.update_records()
        elif part in ("secrets", "accounts", "caller"):
            self._offers.show_head()
            self._offers.show_marks()
        elif part == "problems":
            self._offers.show_marks()
        elif part == "questions":
            self._questions.update()
        elif part == "saved":
            self.show_saved_calls()
            self._watch.update_saved(self.workspace.saved_calls.last_read)
        elif part == "watched":
            self._watch.update()

    def _show_catalog(self) -> None:
        if not self._offers.update():
            return
        if self._offers.restore_tool(is_late=self.workbench.has_typed_ahead) and self.workbench.pane is self:
            self._steps.focus()

    def restore(self, memory: TerminalMemory) -> None:
        self._offers.restore(memory)
        self._form.restore(memory)
        self._watch.restore(memory)

    def remember(self, memory: TerminalMemory) -> None:
        memory.step = self._steps.current
        self._form.remember(memory)
        self._watch.remember(memory)

    def open_item(self, name: str) -> None:
        self.show_offer((OfferKind.TOOL, name))

    def show_offer(self, key: tuple[str, str]) -> None:
        """Go to the form of an offer, if there is one with this key."""
        if (offer := self._offers.find(key)) is not None:
            self._go_to_form(offer)

    def _go_to_form(self, offer: Offer) -> None:
        self._list.show_offer(offer)
        self._offers.open(offer)
        self._steps.go_to("form")

    def open_run(self, run: CallRun) -> None:
        if (offer := self._offers.find((run.kind, run.tool))) is not None:
            self._list.show_offer(offer)
            self._offers.open(offer)
        self._run_actions.show(run)
        self._steps.go_to("outcome")

    def _offer_opened(self, is_other: bool) -> None:
        self._steps.show_trail()
        if is_other and (offer := self._form.offer) is not None:
            self._run_actions.show_last(offer)
        self._resources.update()

    def _show_started(self) -> None:
        self._questions.update()
        if self.has_class("-narrow"):
            self._steps.go_to("outcome")

    async def perform(self, action: str) -> None:
        # The form follows the cursor after a rest, but an action is meant for the offer under the cursor.
        if self._steps.current == "offers":
            self._offers.open_highlighted()
        await super().perform(action)

    def why_not(self, action: str) -> str | None:
        if action in SENDING_ACTIONS and self._steps.current == "offers" and self._list.has_no_match:
            return "The search has no match: nothing was run."
        if action in _OF_OFFER and self._form.offer is None:
            return "Choose a tool, a resource or a prompt first."
        if action == "fill_example" and not (self._form.offer and self._form.offer.examples):
            return "It has no examples; see @tool(examples=[{...}])."
        if action == "edit_source" and not self._source:
            return "The file is not known: only tools of a folder have one."
        if action == "copy" and not self._wire.has_focus and self.copied() is None:
            return "There is nothing to copy here."
        offer = self._form.offer
        return (
            self._run_actions.why_not(action, offer)
            or self._resources.why_not(action, offer)
            or self._watch.why_not(action, offer)
            or super().why_not(action)
        )

    @property
    def actor(self) -> Pane:
        return self._questions.column if self._is_ready and self._questions.has_focus else self

    @property
    def first_hints(self) -> Sequence[Action]:
        return (find_action("answer"),) if self._is_ready and self._questions.is_awaited else ()

    def is_hinted(self, action: str) -> bool:
        # At the outcome, the next view is that of the call, and ctrl+t is for the form.
        is_at_outcome = self._steps.current == "outcome"
        if action in _OF_RUN:
            return is_at_outcome and self._outcome.run is not None
        return not (is_at_outcome and action == "toggle_json") and super().is_hinted(action)

    def hint_title(self, action: Action) -> str:
        if action.id == "back" and self._steps.current == "form" and not self.first_hints:
            # Here, the key of the search is text. The way to a question needs the room more.
            return f"back, then {key_for('search', self.PLACE)} {find_action('search', self.PLACE).title}"
        return super().hint_title(action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "act" and parameters not in _OVER_QUESTION and self.actor is not self:
            return False
        # While nothing runs, ctrl+x cuts text.
        if parameters == ("cancel_run",):
            return self._is_ready and self._outcome.is_busy
        return True

    def action_open_offer(self) -> None:
        """Go to the form of the offer under the cursor, or open or close the group there."""
        if (call := self._list.offer_tree.saved_call) is not None:
            self.open_recorded_call(call)
        elif self._list.offer_tree.offer is None:
            self._list.offer_tree.action_select()
        else:
            self._offers.open_highlighted()
            self._steps.go_to("form")

    def action_search(self) -> None:
        self._steps.go_to("offers")
        self._list.open_search()

    def action_toggle_order(self) -> None:
        self._list.offer_tree.toggle_order()

    def action_run(self) -> None:
        self.load_call_under_cursor()
        offer = self._form.offer
        if offer is None:
            return
        self._offers.check_missing()
        if (value := self._form.value_to_send()) is None:
            self._steps.set("form")
        else:
            self._run_actions.start(offer, value)

    def action_run_as_task(self) -> None:
        offer = self._form.offer
        if offer is not None and (value := self._form.value_to_send()) is not None:
            self._run_actions.start(offer, value, as_task=True)

    @work(exclusive=True, group="caller")
    async def action_set_meta(self) -> None:
        text = await self.app.push_screen_wait(meta_screen(self.workspace.caller))
        if text is not None:
            self.workspace.set_caller_attributes(parse_attributes(text))

    def action_watch(self) -> None:
        """Watch the saved call under the cursor, the call in view or that of the form; subscribe to a resource."""
        offer = self._form.offer
        if offer is None or offer.kind is not OfferKind.TOOL:
            start_worker(self, partial(self._resources.toggle, offer), "subscription")
        elif (call := self._list.offer_tree.saved_call) is not None and self._list.offer_tree.has_focus:
            self._watch.toggle(call)
        elif (run := self._outcome.history_run) is not None and self._steps.current == "outcome":
            self._watch.toggle(SavedCall("", run.kind, run.tool, run.arguments, is_recorded=True), run)
        elif (value := self._form.value_to_send()) is not None:
            self._watch.toggle(SavedCall("", offer.kind, offer.name, value, is_recorded=True))

    def action_show_watched(self) -> None:
        self._watch.show()

    def action_fill_example(self) -> None:
        self._steps.go_to("form")
        self._form.load_next_example()

    def action_cancel_run(self) -> None:
        self._run_actions.cancel()

    def action_toggle_json(self) -> None:
        self._steps.go_to("form")
        self._form.editor.toggle_json()

    def action_show_definition(self) -> None:
        """Show the definition, or the form if the definition is in front."""
        self._steps.set("form")
        self._form.editor.bring_to_front("rows" if self._form.editor.front == "definition" else "definition")

    def action_edit_source(self) -> None:
        if source := self._source:
            edit(self.app, str(source["file"]), int(source["line"]))

    @property
    def _source(self) -> dict[str, Any]:
        """The file and line of the offer; empty if they are not known."""
        return {} if self._form.offer is None else object_in(self._form.offer.definition, "source")

    def shows(self, question: Question) -> bool:
        return self._questions.column.question is question

    def open_question(self, question: Question | None, return_place: str) -> None:
        """Go to a question, and return to a pane after the answer; None for that of the call in view."""
        self._questions.toggle(question, return_place)

    def action_toggle_history(self) -> None:
        self._questions.uncover_outcome()
        self._steps.go_to("outcome")
        self._outcome.toggle_history()

    def action_next_tab(self) -> None:
        self._step_tabs(1)

    def action_previous_tab(self) -> None:
        self._step_tabs(-1)

    def _step_tabs(self, step: int) -> None:
        """Show another view of the form if the focus is there, else another view of the call."""
        if self._form.has_focus_within:
            self._form.editor.toggle_json(step)
        else:
            self._show_tab(lambda: self._outcome.show_next_tab(step))

    def action_show_result(self) -> None:
        self._show_tab(lambda: self._outcome.show_tab("result"))

    def action_show_log(self) -> None:
        self._show_tab(lambda: self._outcome.show_tab("log"))

    def action_show_raw(self) -> None:
        self._show_tab(lambda: self._outcome.show_tab("raw"))

    def action_show_diff(self) -> None:
        self._show_tab(lambda: self._outcome.show_tab("diff"))

    def _show_tab(self, show: Callable[[], None]) -> None:
        self._questions.uncover_outcome()
        show()
        if self.has_class("-narrow"):
            self._steps.go_to("outcome")

    async def action_show_messages(self) -> None:
        await self._run_actions.show_messages()

    def action_run_again(self) -> None:
        self._run_actions.repeat()

    def action_edit_run(self) -> None:
        run = self._outcome.history_run
        if run is None:
            return
        if (offer := self._offers.find((run.kind, run.tool))) is None:
            self.notify(
                f"The server no longer has the {run.kind} {run.tool}.",
                title=UNAVAILABLE,
                severity="warning",
                markup=False,
            )
            return
        self._go_to_form(offer)
        self._form.load(offer, run.arguments)

    def copied(self) -> Copied | None:
        return copied_at(self.screen.focused, self._outcome)

    async def action_copy(self) -> None:
        entry = self._wire.entry if self._wire.has_focus else None
        if entry is None:
            await super().action_copy()
        elif (body := await self.result_of(self.workspace.body(entry))) is not None:
            self.copy(Copied(f"Message {entry.seq}", JsonDocument(body).pretty()))

    def action_back(self) -> None:
        if self._wire.has_focus:
            self._steps.go_to("outcome")
        elif self._steps.current == "question":
            self._questions.leave()
        elif self._steps.current != "offers":
            self._steps.go_back()
        elif self._list.is_searching:
            self._list.close_search()

    @on(Lines.Highlighted, "OfferTree")
    def _highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        if self._rest_timer is not None:
            self._rest_timer.stop()
        # A user who moves through the tree needs no form of each offer on the way.
        self._rest_timer = self.set_timer(_REST_S, self._offers.open_highlighted)

    @on(Outcome.RecordsChanged)
    def _records_changed(self, event: Outcome.RecordsChanged) -> None:
        event.stop()
        self._wire.show_records(self._outcome.records)
        self._questions.update()

    @on(Lines.Selected, "WireList")
    async def _message_selected(self, event: Lines.Selected) -> None:
        event.stop()
        await self.action_act("show_messages")

    @on(Lines.Selected, "OfferTree")
    def _selected(self, event: Lines.Selected) -> None:
        event.stop()
        if self._list.offer_tree.offer is not None or self._list.offer_tree.saved_call is not None:
            self.action_open_offer()

    @on(Button.Pressed, "#run")
    def _run_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_run()

    @on(Button.Pressed, "#cancel")
    def _cancel_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_cancel_run()
