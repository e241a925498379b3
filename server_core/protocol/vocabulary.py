"""The fixed vocabulary of messages: the words of JSON, and of the protocol in all its revisions.

A string that equals one of them is not secret where it is part of the structure: as a key, a method or a type.
"""

from server_core.protocol.methods import METHODS, NOTIFICATIONS
from server_core.protocol.revisions import REVISIONS

_OF_JSON = ("true", "false", "null", "NaN", "Infinity")
_KEYS = (
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
_VALUES = (
    "2.0", "accept", "alert", "array", "assistant", "audio", "boolean", "cancel", "cancelled", "completed",
    "critical", "debug", "decline", "emergency", "endTurn", "error", "failed", "forbidden", "image", "info",
    "input_required", "inputRequired", "integer", "maxTokens", "none", "notice", "number", "object", "optional",
    "private", "public", "required", "resource", "resource_link", "stopSequence", "string", "text", "tool",
    "toolUse", "tool_result", "tool_use", "url", "user", "warning", "working",
)  # fmt: skip

WORDS = frozenset([*_OF_JSON, *_KEYS, *_VALUES, *METHODS, *NOTIFICATIONS, *REVISIONS])
"""The whole vocabulary."""
