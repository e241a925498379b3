"""Answers the server's requests during `workbench call`: from the command line, else by the user, else a refusal."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from workbench.cli import console
from workbench.cli.line_prompts import Asker
from workbench.client.questions import Question

MAX_URL_ACCEPTS = 2
"""How often a URL elicitation with the same URL is accepted on behalf of the user."""


class CommandAnswers:
    """Answers every request; `sample` is the answer to each sampling request, if any.

    `answers` are contents for elicitations, the last for all that follow; missing fields get their defaults.
    """

    def __init__(
        self, answers: Sequence[dict[str, Any]], accept: bool, sample: str | None, asker: Asker | None
    ) -> None:
        self._answers = list(answers)
        self._visits: Counter[str] = Counter()
        self._accept = accept
        self._sample = sample
        self._asker = asker

    def __call__(self, question: Question) -> bool:
        """Answer a request, now or once the user has answered; always True."""
        if question.kind == "elicitation" and (self._answers or self._accept):
            self._elicit(question)
        elif question.kind == "sampling" and self._sample is not None:
            console.write("The tool asks the model. Answered with --sample.")
            question.reply(self._sample)
        elif self._asker is not None:
            self._asker.ask(question)
        else:
            _decline(question)
        return True

    def _elicit(self, question: Question) -> None:
        message, schema = question.params.get("message", ""), question.params.get("requestedSchema")
        if question.mode == "url":
            self._accept_url(
                question, f"{_as_sentence(message)} It requests that you open {question.params.get('url')}"
            )
        elif self._answers:
            content = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            console.write(f"{_as_sentence(message)} Answered with --answer.")
            question.accept(with_defaults(schema, content))
        else:
            self._accept_defaults(question, message, schema)

    def _accept_url(self, question: Question, asked: str) -> None:
        """Accept a URL elicitation a limited number of times: unless the user opens the URL, it is repeated."""
        url = str(question.params.get("url"))
        self._visits[url] += 1
        if self._visits[url] > MAX_URL_ACCEPTS:
            console.warn(f"{asked} again; declined. Open the URL first, or run in a terminal.")
            question.decline()
        else:
            console.write(f"{asked}; accepted. Open the URL now: the call is retried for a short while.")
            question.accept()

    def _accept_defaults(self, question: Question, message: Any, schema: Any) -> None:
        content = with_defaults(schema, {})
        if empty := missing_fields(schema, content):
            console.warn(f"{_as_sentence(message)} Declined: no default for {', '.join(empty)}; give --answer JSON.")
            question.decline()
        else:
            console.write(f"{_as_sentence(message)} Accepted with the defaults.")
            question.accept(content)


def _decline(question: Question) -> None:
    if question.kind == "sampling":
        console.warn("The tool asks the model. Refused: there is none. Give --sample TEXT, or run in a terminal.")
    else:
        message = question.params.get("message", "")
        console.warn(f"{_as_sentence(message)} Declined. Give --answer JSON or --accept, or run in a terminal.")
    question.decline()


def _as_sentence(message: Any) -> str:
    """Return the message of a request as a sentence, so that the result can follow it."""
    text = f"The tool asks: {message}".rstrip()
    return text if text.endswith((".", "?", "!", ":", "…")) else f"{text}."


def with_defaults(schema: Any, content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a form, completed with the defaults of its schema, which may be invalid."""
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict):
        return content
    own = {name: field["default"] for name, field in fields.items() if isinstance(field, dict) and "default" in field}
    return own | content


def missing_fields(schema: Any, content: dict[str, Any]) -> list[str]:
    """Return the names of the required fields that are missing."""
    required = schema.get("required") if isinstance(schema, dict) else None
    return [str(name) for name in required if name not in content] if isinstance(required, list) else []
