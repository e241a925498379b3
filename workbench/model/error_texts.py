"""Errors as texts for users: why a tool failed, what a JSON-RPC error means, and what the user can do.

The values may have any shape, because servers write them. Every text is safe to show, except `ToolFailure.hint`: parts
that a server wrote are escaped (see `workbench.model.short_text`).
"""

import re
from dataclasses import dataclass
from typing import Any

from server_core.errors import RemoteError
from server_core.protocol.codes import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
    RESOURCE_NOT_FOUND,
    SERVER_BUSY,
    UNSUPPORTED_VERSION,
    URL_ELICITATION_REQUIRED,
    USER_REJECTED,
)
from server_core.runtime.safe_json import parse_json_or_none
from workbench.model import describe
from workbench.model.json_members import finite, object_in, objects_in, text_in
from workbench.model.short_text import escaped, escaped_lines

# The start of a message of our servers, which has the form of Arcade's framework.
_KIND_PREFIX = re.compile(r"\[(?P<kind>[A-Z_]{1,60})\] \w{1,80} during execution of tool '[^'\n]{0,200}': ")

_CODE_HINTS = {
    PARSE_ERROR: "The server could not read the message as JSON.",
    INVALID_REQUEST: "The server did not accept the message as a request.",
    METHOD_NOT_FOUND: "The server does not have this method.",
    INVALID_PARAMS: "Check the name and the arguments.",
    INTERNAL_ERROR: "The server failed; see its stderr.",
    RESOURCE_NOT_FOUND: "List the resources to see which exist.",
    REQUEST_TIMEOUT: "The request timed out.",
    HEADER_MISMATCH: "The HTTP headers do not match the body, or a header is missing; list the tools again.",
    MISSING_CAPABILITY: "The request did not declare a required client capability.",
    UNSUPPORTED_VERSION: "The server does not support this revision.",
    URL_ELICITATION_REQUIRED: "The user has to open a URL first.",
    SERVER_BUSY: "The server is overloaded; try again later.",
    USER_REJECTED: "The user declined.",
}


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """The details of a failed call, as far as the server has specified them."""

    message: str  # may have several lines
    kind: str = ""  # such as TOOL_RUNTIME_RETRY
    can_retry: bool | None = None  # whether another try may succeed
    hint: str = ""  # for the next try; not escaped
    is_hint_for_models: bool = False  # whether the message contains the same for users
    retry_after: float | None = None  # seconds to wait before the next try
    status_code: int | None = None  # the HTTP status that caused it

    @property
    def advice(self) -> str:
        """What the user can do about it, on one line; empty if unknown."""
        parts = [escaped(self.hint).rstrip(".")] if self.hint and not self.is_hint_for_models else []
        if self.retry_after is not None:
            parts.append(f"retry after {describe.duration(self.retry_after)}")
        elif self.can_retry is not None:
            parts.append("a retry may succeed" if self.can_retry else self._refusal)
        return "; ".join(parts)

    @property
    def _refusal(self) -> str:
        if self.kind.endswith("BAD_INPUT_VALUE"):
            return "the same arguments will fail again; change them"
        if self.kind.endswith("CONTEXT_REQUIRED"):
            return "retry when this is done"
        return "a retry will not help"


def tool_failure(result: dict[str, Any]) -> ToolFailure | None:
    """Return the details of a failure in a tools/call result; None if the tool did not fail."""
    if result.get("isError") is not True:
        return None
    facts = object_in(object_in(result, "_meta"), "arcade")
    kind, hint = text_in(facts, "errorKind"), text_in(facts, "additionalPromptContent")
    texts = [item["text"] for item in objects_in(result, "content") if isinstance(item.get("text"), str)]
    is_hint_for_models = bool(hint) and len(texts) > 1 and _is_json_of_hint(texts[-1], hint)
    if is_hint_for_models:
        del texts[-1]
    retry_after = facts.get("retryAfterMs")
    status = facts.get("statusCode")
    can_retry = facts.get("canRetry")
    message = _without_kind_and_hint("\n".join(texts), kind, hint)
    return ToolFailure(
        message=escaped_lines(message) or "the tool failed without a message",
        kind=escaped(kind),
        can_retry=can_retry if isinstance(can_retry, bool) else None,
        hint=hint,
        is_hint_for_models=is_hint_for_models,
        retry_after=_seconds(retry_after),
        status_code=status if type(status) is int else None,
    )


def _is_json_of_hint(text: str, hint: str) -> bool:
    """Whether a text is the machine-readable JSON form of the hint."""
    parsed = parse_json_or_none(text)
    return isinstance(parsed, dict) and parsed.get("llm_instructions") == hint


def _without_kind_and_hint(message: str, kind: str, hint: str) -> str:
    """Remove the kind before a message and the hint after it, which are shown separately."""
    prefix = _KIND_PREFIX.match(message)
    if prefix is not None and prefix["kind"] == kind:
        message = message[prefix.end() :]
    return message.removesuffix(f"\n\n{hint}") if hint else message


def remote_error_text(error: RemoteError) -> str:
    """Return a JSON-RPC error on one line: its code, message and data, and a hint if there is one."""
    hint = error_hint(error.code, error.data)
    text = f"error {error.code}: {escaped(error.message)}"
    if error.data is not None:
        text += f" ({describe.json_line(error.data)})"
    return f"{text.removesuffix('.')}. {hint}" if hint else text


def error_hint(code: Any, data: Any = None) -> str:
    """Return an explanation of a JSON-RPC error, with advice and details from its `data`; empty if unknown."""
    details = data if isinstance(data, dict) else {}
    if code == UNSUPPORTED_VERSION and isinstance(supported := details.get("supported"), list):
        # Only requests without a session are answered with this error.
        revisions = ", ".join(describe.json_line(date).strip('"') for date in supported[:10]) or "none"
        return f"The server does not support this revision; without a session it supports: {revisions}."
    if code == MISSING_CAPABILITY and isinstance(required := details.get("requiredCapabilities"), dict):
        names = ", ".join(_capability_names(required)) or "more"
        return f"The request did not declare required client capabilities: {names}."
    if code == URL_ELICITATION_REQUIRED and isinstance(elicitations := details.get("elicitations"), list):
        urls = [
            describe.json_line(elicitation.get("url"))
            for elicitation in elicitations[:5]
            if isinstance(elicitation, dict)
        ]
        return f"The user has to open a URL first: {', '.join(urls) or 'the server does not name it'}."
    return _CODE_HINTS.get(code, "") if isinstance(code, int) else ""


def _capability_names(required: dict[str, Any]) -> list[str]:
    """Return the names in an object of capabilities; for extensions, the names of the extensions."""
    names = [escaped(name) for name in required if name != "extensions"]
    extensions = required.get("extensions")
    return names + ([f"the extension {escaped(name)}" for name in extensions] if isinstance(extensions, dict) else [])


def _seconds(milliseconds: Any) -> float | None:
    number = finite(milliseconds)
    return None if number is None else number / 1000
