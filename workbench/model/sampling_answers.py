"""The result of a sampling request, from what a user has written in place of a model."""

import re
from collections.abc import Collection
from typing import Any

from server_core.runtime.safe_json import parse_json

END = "endTurn"
TOOL_USE = "toolUse"

# The calls of tools in an answer, each on a line: `@NAME {"argument": 1}`.
_TOOL_USE_LINE = re.compile(r"@(\S+)\s*(.*)")


def sampling_result(text: str, tools: Collection[str], model: str, stop_reason: str) -> dict[str, Any]:
    """Return the result for a text; lines that call an offered tool become uses of it, ValueError if they are invalid.

    Source: client/sampling, tool use: the content has an item for each use, and `toolUse` is the stop reason.
    """
    rest, uses = [], list[dict[str, Any]]()
    for line in text.splitlines():
        match = _TOOL_USE_LINE.fullmatch(line.strip())
        if match is None or match[1] not in tools:
            rest.append(line)
        else:
            uses.append(
                {
                    "type": "tool_use",
                    "id": f"use-{len(uses) + 1}",
                    "name": match[1],
                    "input": _arguments(*match.groups()),
                }
            )
    if not uses:
        content: Any = {"type": "text", "text": text}
    else:
        words = "\n".join(rest).strip()
        content = [*([{"type": "text", "text": words}] if words else []), *uses]
    reason = stop_reason or (TOOL_USE if uses else END)
    return {"role": "assistant", "content": content, "model": model, "stopReason": reason}


def _arguments(tool: str, text: str) -> dict[str, Any]:
    try:
        value = parse_json(text or "{}", parse_constant=_refuse)
    except ValueError as error:
        raise ValueError(f"The arguments of {tool} are no JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"The arguments of {tool} are no JSON object: write {{...}}.")
    return value


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def last_text(params: dict[str, Any]) -> str:
    """Return the text of the last message; empty if it has none."""
    messages = params.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) else None
    if isinstance(content, list):
        content = content[-1] if content else None
    text = content.get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) else ""
