"""Answers the server's requests during `workbench call`: from the command line, and if no rule does, by the user."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from workbench.cli import console
from workbench.cli.line_prompts import Asker
from workbench.client.questions import Question, Rule
from workbench.model.rules.form_defaults import missing_fields, with_defaults

MAX_URL_ACCEPTS = 2
"""How often a URL elicitation with the same URL is accepted on behalf of the user."""


class CommandAnswers:
    """Answers the requests that options are for; `sample` is the answer to each sampling request, if any.

    `answers` are contents for elicitations, the last for all that follow; missing fields get their defaults.
    """

    def __init__(self, answers: Sequence[dict[str, Any]], accept: bool, sample: str | None) -> None:
        self._answers = list(answers)
        self._visits: Counter[str] = Counter()
        self._accept = accept
        self._sample = sample

    def __call__(self, question: Question) -> bool:
        """Answer a request; False if no option is for it."""
        if question.kind == "elicitation" and (self._answers or self._accept):
            self._elicit(question)
        elif question.kind == "sampling" and self._sample is not None:
            console.write("The tool asks the model. Answered with --sample.")
            question.reply(self._sample)
        else:
            return False
        return True

    def _elicit(self, question: Question) -> None:
        message, schema = question.params.get("message", ""), question.params.get("requestedSchema")
        if question.mode == "url":
            self._accept_url(question, f"{as_sentence(message)} It requests that you open {question.params.get('url')}")
        elif self._answers:
            content = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            console.write(f"{as_sentence(message)} Answered with --answer.")
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
            console.warn(f"{as_sentence(message)} Declined: no default for {', '.join(empty)}; give --answer JSON.")
            question.decline()
        else:
            console.write(f"{as_sentence(message)} Accepted with the defaults.")
            question.accept(content)


def leave_to(asker: Asker | None) -> Rule:
    """Return what answers all other requests, now or later: the user at a terminal, or a refusal."""

    def answer(question: Question) -> bool:
        if asker is not None:
            asker.ask(question)
        else:
            _decline(question)
        return True

    return answer


def _decline(question: Question) -> None:
    if question.kind == "sampling":
        console.warn("The tool asks the model. Refused: there is none. Give --sample TEXT, or run in a terminal.")
    else:
        message = question.params.get("message", "")
        console.warn(f"{as_sentence(message)} Declined. Give --answer JSON or --accept, or run in a terminal.")
    question.decline()


def as_sentence(message: Any) -> str:
    """Return the message of a request as a sentence, so that the result can follow it."""
    text = f"The tool asks: {message}".rstrip()
    return text if text.endswith((".", "?", "!", ":", "…")) else f"{text}."
