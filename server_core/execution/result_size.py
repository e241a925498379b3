"""Limit the size of a result: a message over the limit would close the connection, which is no help to an agent."""

from typing import Any, TypeAlias

from server_core.errors import ToolOutputError
from server_core.protocol import jsonrpc

Json: TypeAlias = dict[str, Any]

MAX_BYTES = 16 * 1024 * 1024
_SURELY_SHORT = 100_000
"""Up to this many characters a result is not encoded to measure it; escapes cannot bring it near the limit."""


def check_result_size(result: Json, most_bytes: int, failed: str = "Failed to serialize tool output") -> None:
    """Check that a result is no longer than a message may be.

    Args:
        result: the result as on the wire: `content` of a tool, `contents` of a resource, or `messages` of a prompt.
        most_bytes: the limit for its JSON text.
        failed: the start of the error message.

    Raises:
        ToolOutputError: when the result is longer.
    """
    if _characters(result) <= min(_SURELY_SHORT, most_bytes // 8):
        return
    try:
        size = len(jsonrpc.encode(result))
    except (TypeError, ValueError, RecursionError):
        return  # Sending the result reports this.
    if size > most_bytes:
        takes, most = (f"{count / 1e6:,.1f} MB" for count in (size, most_bytes))
        raise ToolOutputError(
            f"{failed}: it takes {takes}, and the most is {most}.",
            "Return a part of it or a link to a resource, or raise WORKBENCH_MAX_MESSAGE_BYTES.",
        )


def _blocks(result: Json) -> list[Any]:
    if "messages" in result:
        return [message["content"] for message in result["messages"]]
    blocks: list[Any] = result["contents"] if "contents" in result else result["content"]
    return blocks


def _characters(result: Json) -> int:
    count = 0
    for block in _blocks(result):
        held = block.get("resource", block)
        count += len(held.get("text") or held.get("data") or held.get("blob") or "")
    return count
