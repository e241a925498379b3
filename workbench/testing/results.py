"""The results that a client in a test returns: MCP results, with their parts as properties."""

import base64
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.client.tool_call import CallProgress
from workbench.model.error_texts import ToolFailure, tool_failure

Json = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class ToolResult:
    """The result of a tool call.

    Attributes:
        tool: its name on the wire.
        raw: the CallToolResult as received.
        progress: the progress reports of the tool, oldest first.
        developer_message: the message of a failed tool for its author; empty for none.
        traceback: the traceback of an unexpected exception; empty for none.
    """

    tool: str
    raw: Json
    progress: tuple[CallProgress, ...] = ()
    developer_message: str = ""
    traceback: str = ""

    @property
    def content(self) -> list[Json]:
        """The content blocks."""
        return list(self.raw.get("content", ()))

    @property
    def text(self) -> str:
        """The text blocks, one per line."""
        return _text(self.content)

    @property
    def structured(self) -> Any:
        """The structured content; None if there is none."""
        return self.raw.get("structuredContent")

    @property
    def meta(self) -> Json:
        """`_meta`; empty if there is none."""
        return dict(self.raw.get("_meta", {}))

    @property
    def is_error(self) -> bool:
        """Whether the tool failed."""
        return self.raw.get("isError") is True

    @cached_property
    def failure(self) -> ToolFailure | None:
        """The details of the failure; None if the tool did not fail."""
        return tool_failure(self.raw)

    @property
    def error_kind(self) -> str:
        """The kind of error, such as TOOL_RUNTIME_RETRY; empty if the tool did not fail."""
        return "" if self.failure is None else self.failure.kind

    @property
    def can_retry(self) -> bool | None:
        """Whether another try may succeed; None if the tool did not fail."""
        return None if self.failure is None else self.failure.can_retry

    @property
    def hint(self) -> str:
        """The hint for the agent; empty for none."""
        return "" if self.failure is None else self.failure.hint

    @property
    def status_code(self) -> int | None:
        """The HTTP status that caused the failure; None if there is none."""
        return None if self.failure is None else self.failure.status_code

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait before another try; None if not specified."""
        return None if self.failure is None else self.failure.retry_after

    def __repr__(self) -> str:
        return f"ToolResult({self.tool!r}, {_short(self.raw)})"


@dataclass(frozen=True, eq=False, repr=False)
class ResourceResult:
    """The contents of a resource.

    Attributes:
        uri: its URI.
        raw: the ReadResourceResult as received.
    """

    uri: str
    raw: Json

    @property
    def contents(self) -> list[Json]:
        """The contents, one for each part."""
        return list(self.raw.get("contents", ()))

    @property
    def text(self) -> str:
        """The text of all parts, one per line."""
        return "\n".join(part["text"] for part in self.contents if isinstance(part.get("text"), str))

    @property
    def data(self) -> bytes:
        """The bytes of all binary parts."""
        return b"".join(base64.b64decode(part["blob"]) for part in self.contents if "blob" in part)

    @property
    def mime_type(self) -> str:
        """The MIME type of the first part; empty if not specified."""
        return str(self.contents[0].get("mimeType", "")) if self.contents else ""

    def json(self) -> Any:
        """Return the text parsed as JSON."""
        return json.loads(self.text)

    def __repr__(self) -> str:
        return f"ResourceResult({self.uri!r}, {_short(self.raw)})"


@dataclass(frozen=True, eq=False, repr=False)
class PromptResult:
    """The messages of a prompt.

    Attributes:
        name: of the prompt.
        raw: the GetPromptResult as received.
    """

    name: str
    raw: Json

    @property
    def messages(self) -> list[Json]:
        """The messages, each with `role` and `content`."""
        return list(self.raw.get("messages", ()))

    @property
    def text(self) -> str:
        """The texts of all messages, one per line."""
        return _text([message.get("content", {}) for message in self.messages])

    @property
    def description(self) -> str:
        """The description of the prompt; empty if there is none."""
        return str(self.raw.get("description", ""))

    def __repr__(self) -> str:
        return f"PromptResult({self.name!r}, {_short(self.raw)})"


def _text(blocks: list[Json]) -> str:
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def _short(raw: Json) -> str:
    text = json.dumps(raw, ensure_ascii=False, default=str)
    return text if len(text) <= 1000 else f"{text[:999]}…"
