"""What stands behind the failure of a tool: what its author should know, and the agent is not told.

The core tells it beside the traffic, as the event `tool_failed`; which call it belongs to is seen by the id of the
request and by the message, since clients choose their ids without knowing of each other.
"""

from dataclasses import dataclass, field
from typing import Any

from workbench.model.short_text import escaped, escaped_lines

EVENT = "tool_failed"


@dataclass(frozen=True, slots=True)
class BehindFailure:
    """The author's side of one failure; texts are safe to show.

    Attributes:
        request_id: of the call.
        tool: the name of the tool.
        message: what the agent was told, as it was written.
        developer_message: what happened; empty when the error does not say.
        place: file and line in the author's code; empty when it was in none.
        traceback: the frames from the author's code on; empty when there are none.
        extra: more facts, as JSON values; None when there are none.
        problems: what is wrong with the adapters that were asked about it.
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
        """Whether the result of a call tells of this failure."""
        if result is None or result.get("isError") is not True:
            return False
        return self.message in _texts(result)


def read(event: dict[str, Any]) -> BehindFailure | None:
    """Return what an event tells of a failure; None when it tells of none.

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
