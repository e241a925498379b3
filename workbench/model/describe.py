"""Short texts for users: durations, sizes, types of schemas, contents of results, errors with hints.

The terminal and the command line share these texts. Every text is safe to show, except `ToolFailure.hint`: parts that a
server wrote are escaped (see `workbench.model.short_text`). The values may have any shape, because servers write them.
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
from server_core.runtime.safe_json import dump_json, parse_json_or_none
from workbench.model.short_text import escaped, escaped_lines, shortened

_SIZE_UNITS = ("KB", "MB", "GB")
# How many levels of a schema its text describes.
_MAX_TYPE_DEPTH = 8


def duration(seconds: float | None) -> str:
    """Return "12 ms", "1.24 s", "2 min 5 s"; empty for None."""
    if seconds is None:
        return ""
    if seconds < 0.0095:
        return f"{max(seconds, 0) * 1000:.1f} ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.995:
        return f"{seconds:.2f} s" if seconds < 9.995 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(count: int) -> str:
    """Return "812 B", "3.1 KB", "12.4 MB" (1 KB is 1024 bytes)."""
    if count < 1024:
        return f"{count} B"
    amount, power = count / 1024, 0
    while amount >= 1023.95 and power < len(_SIZE_UNITS) - 1:
        amount /= 1024
        power += 1
    return f"{amount:.1f} {_SIZE_UNITS[power]}"


def plural(count: int, noun: str) -> str:
    """Return "1 item", "3 items"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def json_line(value: Any, limit: int = 80) -> str:
    """Return a value as JSON text on one line, shortened to `limit` characters."""
    # Cut before it is converted: the string may be huge.
    if isinstance(value, str):
        value = value[: limit + 1]
    try:
        return shortened(dump_json(value, ensure_ascii=False, default=str), limit)
    except ValueError:
        return "…"


def schema_type(schema: Any) -> str:
    """Return the type in a JSON Schema as short text: "list of string", "integer or null"."""
    return _type_text(schema, 0)


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """The details of a failed call, as far as the server has specified them."""

    message: str  # may have several lines
    kind: str = ""  # such as TOOL_RUNTIME_RETRY
    can_retry: bool | None = None  # whether another try may succeed
    hint: str = ""  # for the next try; not escaped
    retry_after: float | None = None  # seconds to wait before the next try
    status_code: int | None = None  # the HTTP status that caused it

    @property
    def advice(self) -> str:
        """What the user can do about it, on one line; empty if unknown."""
        parts = [escaped(self.hint).rstrip(".")] if self.hint else []
        if self.retry_after is not None:
            parts.append(f"retry after {duration(self.retry_after)}")
        elif self.can_retry is not None:
            parts.append("a retry may succeed" if self.can_retry else "a retry will not help")
        return "; ".join(parts)


def failure(result: dict[str, Any]) -> ToolFailure | None:
    """Return the details of a failure in a tools/call result; None if the tool did not fail."""
    if result.get("isError") is not True:
        return None
    facts = _member(_member(result, "_meta"), "arcade")
    kind, hint = _text(facts.get("errorKind")), _text(facts.get("additionalPromptContent"))
    texts = [item["text"] for item in _items(result) if isinstance(item.get("text"), str)]
    if hint and len(texts) > 1 and _is_json_of_hint(texts[-1], hint):
        del texts[-1]  # Our servers send the hint for programs as well.
    retry_after = facts.get("retryAfterMs")
    status = facts.get("statusCode")
    can_retry = facts.get("canRetry")
    message = _without_kind_and_hint("\n".join(texts), kind, hint)
    return ToolFailure(
        message=escaped_lines(message) or "the tool failed without a message",
        kind=escaped(kind),
        can_retry=can_retry if isinstance(can_retry, bool) else None,
        hint=hint,
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


# The start of a message of our servers, which has the form of Arcade's framework.
_KIND_PREFIX = re.compile(r"\[(?P<kind>[A-Z_]{1,60})\] \w{1,80} during execution of tool '[^'\n]{0,200}': ")


def remote_error(error: RemoteError) -> str:
    """Return a JSON-RPC error on one line: its code, message and data, and a hint if there is one."""
    hint = error_hint(error.code, error.data)
    text = f"error {error.code}: {escaped(error.message)}"
    if error.data is not None:
        text += f" ({json_line(error.data)})"
    return f"{text.removesuffix('.')}. {hint}" if hint else text


def error_hint(code: Any, data: Any = None) -> str:
    """Return an explanation of a JSON-RPC error, with advice; empty if unknown.

    For some codes the explanation contains details from `data`, the member of the error.
    """
    details = data if isinstance(data, dict) else {}
    if code == UNSUPPORTED_VERSION and isinstance(supported := details.get("supported"), list):
        # Only requests without a session are answered with this error.
        revisions = ", ".join(json_line(date).strip('"') for date in supported[:10]) or "none"
        return f"The server does not support this revision; without a session it supports: {revisions}."
    if code == MISSING_CAPABILITY and isinstance(required := details.get("requiredCapabilities"), dict):
        names = ", ".join(_capability_names(required)) or "more"
        return f"The request did not declare required client capabilities: {names}."
    if code == URL_ELICITATION_REQUIRED and isinstance(elicitations := details.get("elicitations"), list):
        urls = [json_line(elicitation.get("url")) for elicitation in elicitations[:5] if isinstance(elicitation, dict)]
        return f"The user has to open a URL first: {', '.join(urls) or 'the server does not name it'}."
    return _CODE_HINTS.get(code, "") if isinstance(code, int) else ""


def _capability_names(required: dict[str, Any]) -> list[str]:
    """Return the names in an object of capabilities; for extensions, the names of the extensions."""
    names = [escaped(name) for name in required if name != "extensions"]
    extensions = required.get("extensions")
    return names + ([f"the extension {escaped(name)}" for name in extensions] if isinstance(extensions, dict) else [])


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


def content(item: Any) -> str:
    """Return a content block on one line: its text, or its type ("image/png image, 12.4 KB").

    Source: schema, ContentBlock.
    """
    if not isinstance(item, dict):
        return json_line(item)
    match item.get("type"):
        case "text":
            return shortened(_text(item.get("text")), 200)
        case "image" | "audio" as kind:
            mime = escaped(_text(item.get("mimeType"))) or "unknown type"
            return f"{mime} {kind}, {size(base64_size(item.get('data')))}"
        case "resource":
            return f"resource {resource(item.get('resource'))}"
        case "resource_link":
            title = escaped(_text(item.get("title")) or _text(item.get("name")))
            mime = escaped(_text(item.get("mimeType")))
            return " ".join(part for part in ("link", escaped(_text(item.get("uri"))), title, mime) if part)
        case _:
            return json_line(item, 200)


def resource(contents: Any) -> str:
    """Return the contents of a resource on one line: its URI, type and size.

    Source: schema, TextResourceContents and BlobResourceContents.
    """
    if not isinstance(contents, dict):
        return json_line(contents)
    text = contents.get("text")
    count = len(text.encode("utf-8", "replace")) if isinstance(text, str) else base64_size(contents.get("blob"))
    parts = (_text(contents.get("uri")), _text(contents.get("mimeType")))
    return ", ".join([*(escaped(part) for part in parts if part), size(count)])


def result(value: dict[str, Any]) -> str:
    """Return a tools/call result on one line: its first content block, and the number of the others."""
    items = _items(value)
    if not items:
        if "structuredContent" in value:
            return json_line(value["structuredContent"])
        return "failed without a message" if value.get("isError") is True else "empty result"
    first = content(items[0])
    return first if len(items) == 1 else f"{first} (and {len(items) - 1} more)"


def base64_size(data: Any) -> int:
    """Return the number of bytes that base64 text represents; 0 if it is no text."""
    if not isinstance(data, str):
        return 0
    return max(len(data) * 3 // 4 - data[-2:].count("="), 0)


def _type_text(schema: Any, depth: int) -> str:
    if not isinstance(schema, dict) or depth > _MAX_TYPE_DEPTH:
        return "nothing" if schema is False else "any"
    if isinstance(ref := schema.get("$ref"), str):
        return escaped(ref.rsplit("/", 1)[-1]) or "any"
    if "const" in schema:
        return json_line(schema["const"], 40)
    if isinstance(options := schema.get("enum"), list):
        return shortened(" | ".join(json_line(option, 40) for option in options), 60)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(keyword), list) and options:
            # A dict preserves the order and drops duplicates.
            texts = dict.fromkeys(_type_text(option, depth + 1) for option in options[:20])
            # "null" is last, the others are in their order: sorting is stable.
            return " or ".join(sorted(texts, key=lambda text: text == "null"))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(_type_text({**schema, "type": name}, depth + 1) for name in kind[:7]) or "any"
    if kind == "array" or (kind is None and ("items" in schema or "prefixItems" in schema)):
        return _array_text(schema, depth)
    if kind == "object" and "properties" not in schema and isinstance(schema.get("additionalProperties"), dict):
        return f"map of {_type_text(schema['additionalProperties'], depth + 1)}"
    if kind == "string" and isinstance(schema.get("format"), str):
        return escaped(schema["format"])
    if isinstance(kind, str):
        return escaped(kind)
    return "object" if "properties" in schema else "any"


def _array_text(schema: dict[str, Any], depth: int) -> str:
    if isinstance(prefix := schema.get("prefixItems"), list) and prefix:
        return f"({', '.join(_type_text(item, depth + 1) for item in prefix[:20])})"
    inner = _type_text(schema.get("items", True), depth + 1)
    return "list" if inner == "any" else f"list of {inner}"


def _items(result: dict[str, Any]) -> list[dict[str, Any]]:
    items = result.get("content")
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _member(value: dict[str, Any], key: str) -> dict[str, Any]:
    member = value.get(key)
    return member if isinstance(member, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _seconds(milliseconds: Any) -> float | None:
    # Not `isinstance`, because a bool is an int as well.
    return milliseconds / 1000 if type(milliseconds) in (int, float) else None
