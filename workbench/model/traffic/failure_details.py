"""Details of a tool's failure for its author, which the agent does not receive.

The core emits them as the event `tool_failed`. The call is matched by the id of the request and by the message, since
independent clients may use the same ids.
"""

from dataclasses import dataclass, field
from typing import Any

from workbench.model.json_members import objects_in, text_in
from workbench.model.short_text import escaped, escaped_lines

FAILURE_EVENT = "tool_failed"


@dataclass(frozen=True, slots=True)
class FailureDetails:
    """The details of one failure for the author; texts are safe to show."""

    request_id: str | int  # of the call
    tool: str
    message: str  # for the agent, not escaped
    developer_message: str = ""  # for the author
    place: str = ""  # file and line in the author's code; empty if the failure is elsewhere
    traceback: str = ""  # from the author's code on
    extra: Any = None  # further facts, as JSON values
    problems: tuple[str, ...] = field(default=())  # errors in the adapters that handled the exception

    def explains(self, result: dict[str, Any] | None) -> bool:
        """Whether the result of a call reports this failure."""
        if result is None or result.get("isError") is not True:
            return False
        return self.message in _texts(result)


def read_failure_details(event: dict[str, Any]) -> FailureDetails | None:
    """Return the details in an event of the core; None for other events."""
    request_id, tool = event.get("id"), event.get("tool")
    if event.get("event") != FAILURE_EVENT or not isinstance(request_id, str | int) or not isinstance(tool, str):
        return None
    line = event.get("line")
    file = text_in(event, "file")
    problems = event.get("adapter_problems")
    return FailureDetails(
        request_id=request_id,
        tool=tool,
        message=text_in(event, "message"),
        developer_message=escaped_lines(text_in(event, "developer_message")),
        place=escaped(f"{file}:{line}" if file and line else file),
        traceback=escaped_lines(text_in(event, "traceback")).rstrip(),
        extra=event.get("extra") or None,
        problems=tuple(escaped(str(problem)) for problem in problems) if isinstance(problems, list) else (),
    )


def _texts(result: dict[str, Any]) -> str:
    return "\n".join(str(item.get("text", "")) for item in objects_in(result, "content"))
