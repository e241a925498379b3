"""What a client in a test gets: the results of MCP, with their parts at hand."""

import base64
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.client.call import Progress
from workbench.model.describe import ToolFailure, failure

Json = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class ToolResult:
    """What a call of a tool gave.

    Attributes:
        tool: its name on the wire.
        raw: the CallToolResult as it came.
        progress: what the tool reported, oldest first.
        developer_message: what a failed tool tells its author alone; empty for nothing.
        traceback: where it failed, when it did not mean to; empty otherwise.
    """

    tool: str
    raw: Json
    progress: tuple[Progress, ...] = ()
    developer_message: str = ""
    traceback: str = ""

    @property
    def content(self) -> list[Json]:
        """The content blocks."""
        return list(self.raw.get("content", ()))

    @property
    def text(self) -> str:
        """The text blocks, one below the other."""
        return _text(self.content)

    @property
    def structured(self) -> Any:
        """The structured content; None when there is none."""
        return self.raw.get("structuredContent")

    @property
    def meta(self) -> Json:
        """`_meta`; empty when there is none."""
        return dict(self.raw.get("_meta", {}))

    @property
    def is_error(self) -> bool:
        """Whether the tool failed."""
        return self.raw.get("isError") is True

    @cached_property
    def failure(self) -> ToolFailure | None:
        """What the result says about the failure; None when the tool did not fail."""
        return failure(self.raw)

    @property
    def error_kind(self) -> str:
        """The kind of error, such as TOOL_RUNTIME_RETRY; empty when the tool did not fail."""
        return "" if self.failure is None else self.failure.kind

    @property
    def can_retry(self) -> bool | None:
        """Whether another try may work; None when the tool did not fail."""
        return None if self.failure is None else self.failure.can_retry

    @property
    def hint(self) -> str:
        """What the agent is told to do better; empty for nothing."""
        return "" if self.failure is None else self.failure.hint

    @property
    def status_code(self) -> int | None:
        """The HTTP status behind the failure; None when there is none."""
        return None if self.failure is None else self.failure.status_code

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait before another try; None when nobody said."""
        return None if self.failure is None else self.failure.retry_after

    def __repr__(self) -> str:
        return f"ToolResult({self.tool!r}, {_short(self.raw)})"


@dataclass(frozen=True, eq=False, repr=False)
class ResourceResult:
    """What a resource holds.

    Attributes:
        uri: its address.
        raw: the ReadResourceResult as it came.
    """

    uri: str
    raw: Json

    @property
    def contents(self) -> list[Json]:
        """The contents, one for each part."""
        return list(self.raw.get("contents", ()))

    @property
    def text(self) -> str:
        """The text of all parts, one below the other."""
        return "\n".join(part["text"] for part in self.contents if isinstance(part.get("text"), str))

    @property
    def data(self) -> bytes:
        """The bytes of all parts that are no text."""
        return b"".join(base64.b64decode(part["blob"]) for part in self.contents if "blob" in part)

    @property
    def mime_type(self) -> str:
        """What the first part is; empty when it does not say."""
        return str(self.contents[0].get("mimeType", "")) if self.contents else ""

    def json(self) -> Any:
        """Return the value that the text stands for."""
        return json.loads(self.text)

    def __repr__(self) -> str:
        return f"ResourceResult({self.uri!r}, {_short(self.raw)})"


@dataclass(frozen=True, eq=False, repr=False)
class PromptResult:
    """The messages that a prompt makes.

    Attributes:
        name: of the prompt.
        raw: the GetPromptResult as it came.
    """

    name: str
    raw: Json

    @property
    def messages(self) -> list[Json]:
        """The messages, each with `role` and `content`."""
        return list(self.raw.get("messages", ()))

    @property
    def text(self) -> str:
        """The texts of all messages, one below the other."""
        return _text([message.get("content", {}) for message in self.messages])

    @property
    def description(self) -> str:
        """What the prompt is for; empty when it does not say."""
        return str(self.raw.get("description", ""))

    def __repr__(self) -> str:
        return f"PromptResult({self.name!r}, {_short(self.raw)})"


def _text(blocks: list[Json]) -> str:
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def _short(raw: Json) -> str:
    text = json.dumps(raw, ensure_ascii=False, default=str)
    return text if len(text) <= 1000 else f"{text[:999]}…"
