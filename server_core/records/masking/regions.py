"""Which values of a message belong to the protocol, and which are data.

Clients, the Inspector and replays match messages by the protocol's values, so those are masked only if they contain a
long value. The rule is determined by the key, and applies to everything below it, up to a key with another rule.
"""

from collections.abc import Mapping
from typing import NamedTuple

Structure = Mapping[bytes, frozenset[bytes] | None]


class Region(NamedTuple):
    # The keys whose values belong to the protocol: only the listed values, or all values for None.
    structure: Structure = {}
    # The keys below which another region begins.
    inner: "Mapping[bytes, Region]" = {}
    # Whether anything in it is masked at all.
    is_masked: bool = True
    # Whether a long value is masked in the values of the protocol.
    masks_structure: bool = True

    def is_structure(self, key: bytes, value: bytes) -> bool:
        """Return whether a value belongs to the protocol; key and value are as encoded, without quotes."""
        if key not in self.structure:
            return False
        values = self.structure[key]
        return values is None or value in values


_BLOCKS = frozenset((b"text", b"image", b"audio", b"resource", b"resource_link", b"tool_use", b"tool_result"))
_SCHEMAS = frozenset((b"object", b"string", b"number", b"integer", b"boolean", b"array", b"null"))

DATA = Region()
"""Arguments, results and other data that is not part of the protocol."""

_IDENTITY = Region({b"name": None, b"version": None})
_META = Region(
    {b"progressToken": None, b"io.modelcontextprotocol/protocolVersion": None},
    {b"io.modelcontextprotocol/clientInfo": _IDENTITY, b"io.modelcontextprotocol/serverInfo": _IDENTITY},
)
_CONTENT = Region(
    {b"type": _BLOCKS, b"role": frozenset((b"user", b"assistant"))},
    {b"input": DATA, b"structuredContent": DATA, b"_meta": DATA, b"data": DATA},
)

RECORD = Region(
    dict.fromkeys(
        (
            *(b"jsonrpc", b"id", b"method", b"protocolVersion", b"requestId", b"progressToken", b"progress", b"total"),
            *(b"code", b"event", b"transport", b"level", b"action", b"status", b"resultType", b"mode", b"stopReason"),
            *(b"ttl", b"ttlMs", b"pollInterval", b"pollIntervalMs", b"taskId", b"task", b"role"),
        )
    )
    | {b"type": _BLOCKS | _SCHEMAS},
    {
        b"arguments": DATA,
        b"structuredContent": DATA,
        b"data": DATA,
        b"content": _CONTENT,
        b"_meta": _META,
        b"clientInfo": _IDENTITY,
        b"serverInfo": _IDENTITY,
    },
)
"""A message as it crossed the wire, or an event of the core."""

_OF_CLIENTS: Structure = dict.fromkeys((b"type", b"role", b"uri", b"mimeType", b"method"))
_SHOWN = Region(_OF_CLIENTS, {b"structuredContent": DATA, b"data": DATA, b"_meta": DATA}, masks_structure=False)
_PARTS = Region(
    inner={
        **dict.fromkeys((b"content", b"contents", b"messages", b"message", b"systemPrompt", b"inputRequests"), _SHOWN),
        **dict.fromkeys((b"structuredContent", b"data", b"_meta"), DATA),
    },
    is_masked=False,
)
SHOWN = Region(inner={b"result": _PARTS, b"params": _PARTS, b"error": _PARTS}, is_masked=False)
"""A message to a terminal: masked in the parts that are displayed. Names, URIs and schemas stay, for the client."""
