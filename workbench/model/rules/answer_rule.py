"""A rule that answers requests of tools: which requests it matches, and the kinds of answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeAlias

from workbench.model.rules.tool_request import ELICITATION, ROOTS, SAMPLING, ToolRequest
from workbench.model.traffic.filter import Filter, parse_filter

MAX_ANSWERS = 20
"""How many requests of one call a rule answers, unless it has a limit of its own: a tool may ask without end."""
COMMAND_SECONDS = 30.0
MODEL_SECONDS = 60.0
MODEL_TOKENS = 1000
REFUSED = -1
"""The code of an error without one."""


class StandardAnswer(StrEnum):
    ACCEPT = "accept"  # with the defaults of the form's schema
    DECLINE = "decline"
    CANCEL = "cancel"
    NEVER = "never"  # The tool waits until its own time is over.


@dataclass(frozen=True, slots=True)
class ContentAnswer:
    """The content of a form; missing fields get their defaults."""

    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """What a model would write."""

    text: str


@dataclass(frozen=True, slots=True)
class ResultAnswer:
    """A whole result, as on the wire."""

    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RootsAnswer:
    roots: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """A JSON-RPC error."""

    code: int
    message: str


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """A command that gets the request on stdin, and writes the answer to stdout."""

    words: tuple[str, ...]
    timeout: float = COMMAND_SECONDS


class ModelApi(StrEnum):
    OPENAI = "openai"  # and all that are compatible with its chat completions
    ANTHROPIC = "anthropic"


MODEL_URLS = {ModelApi.OPENAI: "https://api.openai.com/v1", ModelApi.ANTHROPIC: "https://api.anthropic.com/v1"}
"""The endpoint of a rule that names none."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model behind an endpoint; `key` is the name of a secret, empty if it needs none."""

    api: ModelApi
    model: str
    url: str
    key: str = ""
    max_tokens: int = MODEL_TOKENS
    timeout: float = MODEL_SECONDS
    confirm: bool = True  # Whether the user is asked before each request to the endpoint.


RuleAnswer: TypeAlias = (
    StandardAnswer | ContentAnswer | TextAnswer | ResultAnswer | RootsAnswer | ErrorAnswer | CommandAnswer | ModelAnswer
)

_METHODS: dict[type[RuleAnswer], tuple[str, ...]] = {
    ContentAnswer: (ELICITATION,),
    TextAnswer: (SAMPLING,),
    RootsAnswer: (ROOTS,),
    ModelAnswer: (ELICITATION, SAMPLING),
}
"""The requests that a kind of answer is for, unless it is for all."""


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """A rule of `workbench.yaml`.

    Attributes:
        match: a filter of the Inspector; empty for every request that the answer is for.
        delay: seconds before the answer.
        limit: how many requests of one call it answers.
        off: whether it is switched off; rules with a model are, unless the file switches them on.
    """

    name: str
    answer: RuleAnswer
    match: str = ""
    delay: float = 0.0
    limit: int = MAX_ANSWERS
    off: bool = False

    def matches(self, request: ToolRequest) -> bool:
        """Whether it is for a request, whether or not it is switched off."""
        return self._suits(request) and _compiled(self.match)(request)

    def _suits(self, request: ToolRequest) -> bool:
        answer = self.answer
        if request.method not in _METHODS.get(type(answer), (request.method,)):
            return False
        if answer is StandardAnswer.ACCEPT:
            return request.method == ELICITATION
        # A URL is visited, and not filled in.
        return request.is_form or request.method != ELICITATION or not isinstance(answer, ContentAnswer | ModelAnswer)

    @property
    def note(self) -> str:
        """What it does, in a few words."""
        match self.answer:
            case StandardAnswer() as answer:
                return {"accept": "accepts with the defaults", "never": "never answers"}.get(answer, f"{answer}s")
            case ContentAnswer():
                return "fills in the form"
            case TextAnswer():
                return "answers with a text"
            case ResultAnswer():
                return "answers with a result"
            case RootsAnswer(roots):
                return f"answers with {len(roots)} root{'' if len(roots) == 1 else 's'}"
            case ErrorAnswer(code):
                return f"answers with the error {code}"
            case CommandAnswer(words):
                return f"runs {words[0]}"
            case ModelAnswer(model=model):
                return f"asks the model {model}"


@lru_cache(maxsize=256)
def _compiled(text: str) -> Filter:
    return parse_filter(text)


def find_rule(rules: Iterable[AnswerRule], request: ToolRequest) -> AnswerRule | None:
    """Return the rule that answers a request: the first that matches, and is not switched off."""
    return next((rule for rule in rules if not rule.off and rule.matches(request)), None)
