"""Sampling: the server asks the client's language model; here the user answers in its place."""

from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Select, Static

from workbench.client.questions import Question
from workbench.model.describe import plural
from workbench.model.json_members import object_in, objects_in, text_in
from workbench.model.sampling_answers import END, TOOL_USE, last_text, sampling_result
from workbench.model.short_text import escaped, first_paragraph, shortened
from workbench.tui.widgets.questions.question_view import WrittenQuestionView
from workbench.tui.widgets.result import ResultView
from workbench.tui.widgets.result_sections import message_sections, text_section
from workbench.tui.widgets.sections import Section
from workbench.tui.widgets.steady import DropDown, TextArea
from workbench.workspace.answer_drafts import draft_of

CANNED_ANSWERS = ("Yes.", "No.", "I do not know.", "Lorem ipsum dolor sit amet, consectetur adipiscing elit.", "")
"""The answers to pick; the last message of the server is another."""


_MODEL = "workbench"
_TOOL_USE_FORM = 'the call of a tool: @NAME {"argument": 1}'

_MAX_EARLIER = 10
# The latest answers that were written in each terminal, newest first.
_earlier_answers: WeakKeyDictionary[App[Any], list[str]] = WeakKeyDictionary()


class SamplingView(WrittenQuestionView):
    """The conversation, its parameters, and the answer to write or to pick. Source: client/sampling."""

    TITLE = "A response of a language model"
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("accept", "Answer"), ("decline", "Refuse"))

    DEFAULT_CSS = """
    SamplingView {
        & > .facts { height: auto; padding: 0 1; color: $text-muted; }
        & > ResultView { height: 1fr; margin-top: 1; }
        & > Select { margin-top: 1; }
        & > Select.-textual-compact > SelectCurrent { padding: 0 1; }
        & > .model { height: 1; margin-top: 1; padding: 0 1; }
        & > .model > Static { width: auto; padding-right: 1; color: $text-muted; }
        & > .model > Input { width: 1fr; margin-right: 2; background: $boost; }
        & > TextArea { height: 6; margin-top: 1; padding: 0 1; border: none; scrollbar-size-vertical: 1; }
        &.-low {
            & > .facts { max-height: 1; }
            & > ResultView, & > Select, & > .model, & > TextArea { margin-top: 0; }
            & > TextArea { height: 1fr; min-height: 2; }
        }
    }
    """

    def __init__(self, question: Question, asker: str) -> None:
        super().__init__(question, asker)
        self._canned = [*dict.fromkeys([*_earlier_answers.get(self.app, ()), *CANNED_ANSWERS])]
        if echo := last_text(question.params):
            self._canned.insert(0, echo)
        self._is_picked = False

    def message(self) -> str:
        # The conversation has its own widget.
        return ""

    def compose_answer(self) -> ComposeResult:
        yield Static(Content(_facts(self.question.params)), classes="facts", markup=False)
        yield ResultView()
        options = [(Text(_canned_label(text)), index) for index, text in enumerate(self._canned)]
        yield DropDown(options, prompt="write below, or pick an answer", compact=True)
        yield TextArea(
            draft_of(self.question).text or "",
            placeholder="the answer" + (f", or {_TOOL_USE_FORM}" if self._tools else ""),
            compact=True,
            highlight_cursor_line=False,
        )
        with Horizontal(classes="model"):
            yield Static("model", markup=False)
            yield Input(_MODEL, compact=True, id="model")
            yield Static("stop reason", markup=False)
            yield Input(placeholder=f"{END}, or {TOOL_USE} for a call", compact=True, id="stop-reason")

    @property
    def _tools(self) -> list[dict[str, Any]]:
        return objects_in(self.question.params, "tools")

    def show_question(self) -> None:
        params = self.question.params
        sections: list[Section] = []
        if system := params.get("systemPrompt"):
            sections.append(text_section("system prompt", str(system)))
        sections += [text_section(f"tool {text_in(tool, 'name')}", _tool_text(tool)) for tool in self._tools]
        self.query_one(ResultView).show(*sections, *message_sections(params))

    def accept(self) -> bool:
        # An empty text has to be picked, so that it is not sent by accident.
        text = self.query_one(TextArea).text
        if not text and not self._is_picked:
            self.show_problem("Write an answer, or pick one.")
            self.focus_answer()
            return False
        try:
            result = self._result(text)
        except ValueError as problem:
            self.show_problem(str(problem))
            self.focus_answer()
            return False
        self._remember(text)
        return self.question.answer(result)

    def draft(self) -> dict[str, Any] | None:
        text = self.query_one(TextArea).text
        if not text and not self._is_picked:
            return None
        try:
            return self._result(text)
        except ValueError:
            return None

    def _result(self, text: str) -> dict[str, Any]:
        model, stop_reason = (self.query_one(f"#{name}", Input).value.strip() for name in ("model", "stop-reason"))
        return sampling_result(text, [text_in(tool, "name") for tool in self._tools], model or _MODEL, stop_reason)

    def _remember(self, text: str) -> None:
        if text and text not in CANNED_ANSWERS:
            earlier = [other for other in _earlier_answers.get(self.app, ()) if other != text]
            _earlier_answers[self.app] = [text, *earlier][:_MAX_EARLIER]

    @on(Select.Changed)
    def _pick(self, event: Select.Changed) -> None:
        event.stop()
        if isinstance(event.value, int):
            self._is_picked = True
            self.query_one(TextArea).load_text(self._canned[event.value])
            self.focus_answer()


def _tool_text(tool: dict[str, Any]) -> str:
    properties = object_in(object_in(tool, "inputSchema"), "properties")
    parameters = f"Parameters: {', '.join(properties)}" if properties else "No parameters."
    return "\n".join(text for text in (first_paragraph(text_in(tool, "description")), parameters) if text)


def _facts(params: dict[str, Any]) -> str:
    facts = []
    if tools := objects_in(params, "tools"):
        facts.append(f"{plural(len(tools), 'tool')} offered")
    if (max_tokens := params.get("maxTokens")) is not None:
        facts.append(f"at most {max_tokens} tokens")
    preferences = params.get("modelPreferences")
    if isinstance(preferences, dict):
        hints = preferences.get("hints")
        names = (
            [str(hint["name"]) for hint in hints if isinstance(hint, dict) and "name" in hint]
            if isinstance(hints, list)
            else []
        )
        if names:
            facts.append(f"models: {', '.join(names)}")
        facts += [
            f"{name.removesuffix('Priority')} {value}"
            for name, value in preferences.items()
            if name.endswith("Priority")
        ]
    for name in ("temperature", "stopSequences", "includeContext"):
        if (value := params.get(name)) not in (None, [], "none"):
            facts.append(f"{name} {value}")
    return escaped(" · ".join(facts))


def _canned_label(text: str) -> str:
    return shortened(text, 60) if text else "an empty text"
