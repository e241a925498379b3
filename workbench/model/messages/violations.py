"""What a message violates: the schema of its revision, and the output schema of its tool, with the section to read."""

from collections.abc import Iterator
from typing import Any

from server_core.protocol.revisions import REVISIONS
from workbench.model.forms.validator import validator_for
from workbench.model.json_members import object_in, text_in
from workbench.model.messages.protocol_schema import MessageViolation, ProtocolSchema
from workbench.model.references import MAX_DEPTH
from workbench.model.short_text import escaped, shortened

MAX_SHOWN = 20

_MASK = "<secret "

_LONGEST = 200  # Characters of one violation.

# The pages of the specification about methods, by the beginning of their names; in this order.
_PAGES = (
    ("tools/", "server/tools"),
    ("resources/", "server/resources"),
    ("prompts/", "server/prompts"),
    ("completion/", "server/utilities/completion"),
    ("logging/", "server/utilities/logging"),
    ("notifications/message", "server/utilities/logging"),
    ("notifications/tools", "server/tools"),
    ("notifications/resources", "server/resources"),
    ("notifications/prompts", "server/prompts"),
    ("sampling/", "client/sampling"),
    ("elicitation/", "client/elicitation"),
    ("notifications/elicitation", "client/elicitation"),
    ("roots/", "client/roots"),
    ("notifications/roots", "client/roots"),
    ("notifications/progress", "basic/utilities/progress"),
    ("notifications/cancelled", "basic/utilities/cancellation"),
    ("ping", "basic/utilities/ping"),
    ("initialize", "basic/lifecycle"),
    ("notifications/initialized", "basic/lifecycle"),
    ("tasks/", "basic/utilities/tasks"),
    ("notifications/tasks", "basic/utilities/tasks"),
)


def violations(
    schema: ProtocolSchema, message: dict[str, Any], request: dict[str, Any] | None, output_schema: Any = None
) -> list[MessageViolation]:
    """Return what is wrong with a message, with paths from its beginning.

    Args:
        schema: of the revision that the message belongs to.
        request: the request that the message answers, if it does.
        output_schema: of the tool that the request calls; None if it declares none.
    """
    if "method" in message:
        return schema.of_call(message)
    if "error" in message:
        return schema.of_error(message)
    result = message.get("result")
    if request is None or not isinstance(result, dict):
        return []
    method = text_in(request, "method")
    of_schema = schema.of_result(method, object_in(request, "params"), result)
    of_output = _of_output(result, output_schema) if method == "tools/call" else ()
    return [MessageViolation(("result", *each.path), each.text, each.rule) for each in (*of_schema, *of_output)]


def describe_violations(problems: list[MessageViolation], method: str, date: str) -> list[str]:
    """Return two lines for each violation, at most :data:`MAX_SHOWN`: what is wrong where, and what requires it."""
    page = section_of(method, date)
    lines = []
    for violation in problems[:MAX_SHOWN]:
        rule = " · ".join(part for part in (violation.rule, f"{date}, {page}") if part)
        lines += [f"{_path(violation.path)}: {shortened(violation.text, _LONGEST)}", f"  {rule}"]
    return lines


def section_of(method: str, date: str) -> str:
    """Return the page of the specification about a method."""
    if date in REVISIONS and REVISIONS[date].stateless and method.startswith(("subscriptions/", "server/discover")):
        return "basic/patterns/subscriptions" if method.startswith("subscriptions/") else "basic/versioning"
    return next((page for beginning, page in _PAGES if method.startswith(beginning)), "basic")


def _of_output(result: dict[str, Any], output_schema: Any) -> Iterator[MessageViolation]:
    # server/tools, output schema: a server must provide structured results that conform to it.
    if not isinstance(output_schema, dict) or result.get("isError") is True or "task" in result:
        return
    rule = "the output schema of the tool"
    if "structuredContent" not in result:
        if result.get("resultType") in (None, "complete"):
            yield MessageViolation((), "structuredContent is missing", rule)
        return
    validator = validator_for(output_schema)
    if validator is None:
        return
    for error in validator.iter_errors(result["structuredContent"]):
        # A record has a placeholder for a secret, which may have the form that is required.
        if _MASK not in error.message:
            yield MessageViolation(("structuredContent", *error.instance_path), error.message, rule)


def _path(path: tuple[str | int, ...]) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path[:MAX_DEPTH])
    return escaped(f"${''.join(steps)}")
