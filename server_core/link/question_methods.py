"""The methods of the link about open questions: the requests for input that wait in the sessions of terminals.

A question of one terminal is described to all, and each of them may answer it. Clients other than terminals ask their
own users: their questions are not described.
"""

import json
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError, ProtocolError, RemoteError
from server_core.execution import time_limits
from server_core.execution.running_calls import running_call
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_PARAMS
from server_core.records.masking.regions import SHOWN
from server_core.transports.source import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server_core.core import Core
    from server_core.transports.open_questions import OpenQuestion
    from server_core.transports.source import ServingSession


MAX_NOTE = 2000
RULE_EVENT = "question_answered_by_rule"
RULE_FAILED_EVENT = "rule_failed"


def list_questions(core: "Core", params: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the open questions of terminals, oldest first, but those of the sessions with the ids in `without`."""
    without = _ids(params, "without")
    asked = [pair for pair in _questions(core) if pair[0].id not in without]
    return [_describe(core, *pair) for pair in sorted(asked, key=lambda pair: pair[1].asked)]


def answer(core: "Core", params: dict[str, Any]) -> None:
    """Answer a question with a `result`, or with an `error`; ConfigurationError if it needs no answer any more."""
    key, session_key, result, error = (params.get(name) for name in ("key", "session", "result", "error"))
    if isinstance(result, dict):
        given: dict[str, Any] | RemoteError = result
    elif isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str):
        given = RemoteError(error["code"], error["message"])
    else:
        raise ProtocolError(INVALID_PARAMS, '"result" must be an object, or "error" an object with code and message')
    for session, question in _questions(core):
        if (session.key, question.key) == (session_key, key) and question.answer(given):
            return
    raise ConfigurationError("The question is no longer open: it was answered or withdrawn, or its time was over.")


def end(core: "Core", params: dict[str, Any]) -> None:
    """End a question of one of the `sessions` of a terminal, which will not answer it."""
    for question in _own_questions(core, params):
        question.end()


def set_aside(core: "Core", params: dict[str, Any]) -> None:
    """Close a question of one of the `sessions` of a terminal for the others: it has an answer, and sends it later."""
    for question in _own_questions(core, params):
        question.set_aside()


def note_rule(core: "Core", params: dict[str, Any]) -> None:
    """Record what a rule of a terminal has done with a question in one of its `sessions`."""
    sessions, texts = _ids(params, "sessions"), [params.get(name) for name in ("rule", "outcome")]
    if not all(isinstance(text, str) and len(text) <= MAX_NOTE for text in texts):
        raise ProtocolError(INVALID_PARAMS, f'"rule" and "outcome" must be texts of at most {MAX_NOTE} characters')
    call = params.get("call")
    facts: dict[str, Any] = {"id": call} if type(call) in (int, str) else {}
    event = RULE_FAILED_EVENT if params.get("failed") is True else RULE_EVENT
    own = [session for session in core.sessions if session.id in sessions]
    if own:
        core.tap.emit_event(event, own[-1].key, **facts, rule=texts[0], outcome=texts[1])


def _ids(params: dict[str, Any], name: str) -> list[str]:
    ids = params.get(name, [])
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        raise ProtocolError(INVALID_PARAMS, f'"{name}" must be a list of ids of sessions')
    return ids


def _questions(core: "Core") -> "Iterator[tuple[ServingSession, OpenQuestion]]":
    for session in core.sessions:
        if session.describe()["peer"] == TERMINAL:
            for question in session.questions():
                yield session, question


def _own_questions(core: "Core", params: dict[str, Any]) -> "list[OpenQuestion]":
    """Return the question with a `key` in one of the `sessions` of a terminal, if it is open."""
    sessions, key = _ids(params, "sessions"), params.get("key")
    return [question for session, question in _questions(core) if session.id in sessions and question.key == key]


def _describe(core: "Core", session: "ServingSession", question: "OpenQuestion") -> dict[str, Any]:
    # Masked as the message to its own terminal is.
    message = core.tap.masker.mask(jsonrpc.request(0, question.method, question.params), SHOWN)
    return {
        "session": session.key,
        "key": question.key,
        "call": question.call,
        "seconds_left": _seconds_left(session, question),
        "tool": question.name,
        "method": question.method,
        "params": json.loads(message).get("params", {}),
        "asked": question.asked,
    }


def _seconds_left(session: "ServingSession", question: "OpenQuestion") -> float | None:
    call = running_call(session.key, question.call)
    return None if call is None else time_limits.seconds_left(call)
