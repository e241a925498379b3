"""What is wrong with a message that a client is about to send, before the server has to find it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from server_core.errors import ProtocolError
from server_core.protocol import jsonrpc
from server_core.protocol.envelope import read_envelope
from server_core.protocol.jsonrpc import ErrorResponse, MalformedMessage, Notification, Request, Response
from server_core.protocol.methods import Side, served_methods
from server_core.protocol.revisions import Revision
from server_core.runtime.safe_json import parse_json
from server_core.runtime.suggestions import closest_name
from workbench.model.forms.json_walk import line_of, value_lines
from workbench.model.messages.beginnings import client_notifications
from workbench.model.messages.protocol_schema import ProtocolSchema
from workbench.model.messages.violations import violations

_PLACEHOLDER = re.compile("‹[^‹›]*›")


@dataclass(frozen=True, slots=True)
class MessageProblem:
    """One thing that is wrong; `line` is that of the text, from 0, or None if it is of no line."""

    text: str
    line: int | None = None


def check_message(
    text: str,
    revision: Revision,
    schema: ProtocolSchema | None = None,
    *,
    is_to_server: bool = True,
    request: dict[str, Any] | None = None,
) -> list[MessageProblem]:
    """Return what is wrong with the text of a message, for a session in a revision with a schema.

    Of a message to the client, only the form is checked, and what answers a `request`.
    """
    try:
        value = parse_json(text)
    except json.JSONDecodeError as error:
        return [MessageProblem(f"It is no JSON: {error.msg}, in column {error.colno}.", error.lineno - 1)]
    except ValueError as error:
        return [MessageProblem(f"It is no JSON: {error}.")]
    message = jsonrpc.parse(text.encode("utf-8", "replace"))
    if isinstance(message, MalformedMessage):
        is_batch = revision.batches and text.lstrip().startswith("[")
        return [] if is_batch else [MessageProblem(f"{message.message}.")]
    problems = [*_of_placeholders(text), *(_of_method(message, text, revision) if is_to_server else ())]
    is_checked = "method" in value if is_to_server else request is not None and "method" not in value
    if problems or schema is None or not is_checked:
        return problems
    lines = value_lines(text)
    return [MessageProblem(f"{each.text}.", line_of(lines, each.path)) for each in violations(schema, value, request)]


def _of_placeholders(text: str) -> Iterator[MessageProblem]:
    for number, line in enumerate(text.split("\n")):
        for match in _PLACEHOLDER.finditer(line):
            yield MessageProblem(f"{match.group()} stands for a value that is missing.", number)


def _of_method(message: jsonrpc.Message, text: str, revision: Revision) -> Iterator[MessageProblem]:
    match message:
        case Request():
            known = list(served_methods(Side.SERVER, revision))
        case Notification():
            known = client_notifications(revision)
        case Response() | ErrorResponse() if revision.stateless:
            yield MessageProblem(f"In revision {revision.date}, clients send no responses.")
            return
        case _:
            return
    if message.method not in known:
        close = closest_name(message.method, known)
        guess = f"; did you mean {close}?" if close else "."
        kind = "request" if isinstance(message, Request) else "notification of a client"
        reason = f"Revision {revision.date} has no {kind} {message.method!r}{guess}"
        yield MessageProblem(reason, value_lines(text).get(("method",)))
    if isinstance(message, Request) and revision.stateless:
        try:
            read_envelope(message.params)
        except ProtocolError as error:
            yield MessageProblem(f"{error}.", value_lines(text).get(("params", "_meta")))
