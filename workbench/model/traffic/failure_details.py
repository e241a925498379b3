"""Details of a tool's failure for its author, which the agent does not receive.

The core emits them as the event `tool_failed`. The call is matched by the id of the request and by the message, since
independent clients may use the same ids.
"""

from dataclasses import dataclass, field
from typing import Any

from workbench.model.short_text import escaped, escaped_lines

EVENT = "tool_failed"


@dataclass(frozen=True, slots=True)
class BehindFailure:
    """The details of one failure for the author; texts are safe to show.

    Attributes:
        request_id: of the call.
        tool: the name of the tool.
        message: the message for the agent, unescaped.
        developer_message: the message for the author; empty if there is none.
        place: file and line in the author's code; empty if the failure is elsewhere.
        traceback: the frames from the author's code on; empty if there are none.
        extra: further facts, as JSON values; None if there are none.
        problems: errors in the adapters that handled the exception.
    """

    request_id: str | int
    tool: str
    message: str
    developer_message: str = ""
    place: str = ""
    traceback: str = ""
    extra: Any = None
    problems: tuple[str, ...] = field(default=())

    def explains(self, result: dict[str, Any] | None) -> bool:
        """Whether the result of a call reports this failure."""
        if result is None or result.get("isError") is not True:
            return False
        return self.message in _texts(result)


def read(event: dict[str, Any]) -> BehindFailure | None:
    """Return the details in an event; None for other events.

    Args:
        event: the body of a lifecycle record.
    """
    request_id, tool = event.get("id"), event.get("tool")
    if event.get("event") != EVENT or not isinstance(request_id, str | int) or not isinstance(tool, str):
        return None
    line = event.get("line")
    file = _text(event, "file")
    problems = event.get("adapter_problems")
    return BehindFailure(
        request_id=request_id,
        tool=tool,
        message=_text(event, "message"),
        developer_message=escaped_lines(_text(event, "developer_message")),
        place=escaped(f"{file}:{line}" if file and line else file),
        traceback=escaped_lines(_text(event, "traceback")).rstrip(),
        extra=event.get("extra") or None,
        problems=tuple(escaped(str(problem)) for problem in problems) if isinstance(problems, list) else (),
    )


def _text(event: dict[str, Any], key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ""


def _texts(result: dict[str, Any]) -> str:
    content = result.get("content")
    items = content if isinstance(content, list) else []
    return "\n".join(str(item.get("text", "")) for item in items if isinstance(item, dict))
