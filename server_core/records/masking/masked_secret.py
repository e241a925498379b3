"""One value of a secret: where it is masked, and the patterns that match it there.

A short value, or one that is a word of JSON or of the protocol, also occurs in places that have nothing to do with the
secret. The weaker a value is, the stricter the conditions on its surroundings.
"""

import re
from collections.abc import Iterable
from enum import Enum
from functools import cached_property

from server_core.protocol.methods import METHODS, NOTIFICATIONS
from server_core.protocol.revisions import REVISIONS
from server_core.records.masking.secret_forms import SecretForm, as_bytes, as_text, encoded_forms, json_strings

SHORTEST = 4
"""A shorter value is masked only if it is the whole text."""
LONG = 8
"""A value of at least so many characters is masked everywhere."""
SHORTEST_ENCODED = 5
"""A shorter value is not searched for in base64 and hexadecimal."""

_JSON_WORDS = ("true", "false", "null", "NaN", "Infinity")
_PROTOCOL_KEYS = (
    "_meta", "accept", "action", "annotations", "anyOf", "arguments", "audience", "blob", "cacheScope", "cancel",
    "capabilities", "clientCapabilities", "clientInfo", "code", "complete", "completion", "completions", "content",
    "contents", "context", "createdAt", "cursor", "data", "decline", "default", "description", "destructiveHint",
    "elicitation", "elicitationId", "enum", "enumNames", "error", "event", "experimental", "extensions", "form",
    "format", "hasMore", "hints", "icons", "id", "idempotentHint", "includeContext", "inputRequests",
    "inputResponses", "inputSchema", "instructions", "items", "jsonrpc", "lastModified", "lastUpdatedAt", "level",
    "listChanged", "logger", "logging", "maxTokens", "maximum", "message", "messages", "metadata", "method",
    "mimeType", "minimum", "mode", "model", "modelPreferences", "name", "nextCursor", "oneOf", "openWorldHint",
    "outputSchema", "params", "pattern", "pollInterval", "pollIntervalMs", "priority", "progress", "progressToken",
    "prompt", "prompts", "properties", "protocolVersion", "readOnlyHint", "ref", "reason", "requestId",
    "requestState", "requestedSchema", "required", "requests", "resource", "resources", "result", "resultType",
    "role", "roots", "sampling", "schema", "serverInfo", "size", "sizes", "src", "state", "status", "statusMessage",
    "stopReason", "stopSequences", "structuredContent", "subscribe", "supportedVersions", "systemPrompt", "task",
    "taskId", "taskSupport", "tasks", "temperature", "text", "theme", "timestamp", "title", "toolChoice",
    "toolResults", "tools", "total", "ttl", "ttlMs", "type", "uri", "uriTemplate", "url", "value", "values",
    "version", "websiteUrl",
)  # fmt: skip
_PROTOCOL_VALUES = (
    "2.0", "accept", "alert", "array", "assistant", "audio", "boolean", "cancel", "cancelled", "completed",
    "critical", "debug", "decline", "emergency", "endTurn", "error", "failed", "forbidden", "image", "info",
    "input_required", "inputRequired", "integer", "maxTokens", "none", "notice", "number", "object", "optional",
    "private", "public", "required", "resource", "resource_link", "stopSequence", "string", "text", "tool",
    "toolUse", "tool_result", "tool_use", "url", "user", "warning", "working",
)  # fmt: skip

WORDS = frozenset([*_JSON_WORDS, *_PROTOCOL_KEYS, *_PROTOCOL_VALUES, *METHODS, *NOTIFICATIONS, *REVISIONS])
"""The fixed vocabulary of messages, of JSON and of the protocol in all its revisions.

A string that equals one of them is not secret where it is part of the structure: as a key, a method or a type.
"""


class Place(Enum):
    """The place of a piece of text."""

    KEY = "a key of JSON"
    STRING = "a string of JSON"
    TEXT = "free text"


class MaskedSecret:
    """A value to mask, which is not empty."""

    def __init__(self, name: str, value: str) -> None:
        self.label = f"<secret {name}>".encode("ascii", "replace")
        """The replacement of the value."""
        self.length = len(value)
        self._value = value
        self._is_whole_only = len(value) < SHORTEST or value in WORDS
        self._is_long = not self._is_whole_only and len(value) >= LONG
        self._is_word = not self._is_long and (value.isalpha() or value.isdigit())
        self._texts = [] if self._is_whole_only else [as_text(text) for text in _texts(value)]
        self._encoded = [] if self._is_whole_only else _encoded_forms(value)

    @property
    def wholes(self) -> set[bytes]:
        """The texts that are masked if there is nothing else around them."""
        return {as_bytes(text) for text in (self._value, self._value.strip()) if text}

    @property
    def texts(self) -> set[bytes]:
        """The value, also without surrounding whitespace, and its longer lines."""
        return self.wholes.union(map(as_bytes, _texts(self._value)))

    @property
    def anchors(self) -> set[bytes]:
        """Byte strings, one of which occurs wherever the value does; if one is empty, the value is always searched."""
        if self._is_whole_only:
            return json_strings(self._value)
        return {form.anchor for form in (*self._texts, *self._encoded)}

    @property
    def beginnings(self) -> set[bytes]:
        """Patterns of the beginning of the value in any of its forms, even if truncated by the end of a text."""
        wholes = [as_text(text) for text in {self._value, self._value.strip()} if text]
        return {form.beginning for form in (*wholes, *self._texts, *self._encoded)}

    def pattern(self, place: Place) -> re.Pattern[bytes] | None:
        """Return the pattern of the value at a place; None when it is not masked there."""
        match place:
            case Place.TEXT:
                return self._everywhere
            case Place.STRING:
                return self._only_encoded if self._is_word else self._everywhere
            case Place.KEY:
                return self._everywhere if self._is_long else None

    @cached_property
    def _everywhere(self) -> re.Pattern[bytes] | None:
        return _compile([self._bounded(form) for form in self._texts] + [form.pattern for form in self._encoded])

    @cached_property
    def _only_encoded(self) -> re.Pattern[bytes] | None:
        return _compile([form.pattern for form in self._encoded])

    def _bounded(self, form: SecretForm) -> bytes:
        """Return a pattern that matches no number within a longer number, and no short value within a longer word."""
        if self._value.isdigit():
            return rb"(?<!\d)" + form.pattern + rb"(?!\d)"
        if self._is_long:
            return form.pattern
        return (
            rb"(?<![A-Za-z0-9_])" * _is_word(self._value[0])
            + form.pattern
            + rb"(?![A-Za-z0-9_])" * _is_word(self._value[-1])
        )


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _texts(value: str) -> list[str]:
    """Return a value and its longer lines, since printed output is recorded line by line; the longest first."""
    lines = {line.strip() for line in value.splitlines()}
    return sorted({value, *(line for line in lines if len(line) >= LONG)}, key=len, reverse=True)


def _encoded_forms(value: str) -> list[SecretForm]:
    if len(value) < SHORTEST_ENCODED:
        return []
    return [form for text in {value, value.strip()} if text for form in encoded_forms(text)]


def _compile(patterns: Iterable[bytes]) -> re.Pattern[bytes] | None:
    return re.compile(b"|".join(patterns)) if patterns else None
