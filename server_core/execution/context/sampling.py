"""`context.sampling`: sample the client's model.

Source: client/sampling.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from server_core.errors import SamplingNotSupportedError
from server_core.execution.context.call import Namespace
from server_core.types import ContentBlock, SamplingMessage, ToolUseContent, content_blocks

Json: TypeAlias = dict[str, Any]
Messages: TypeAlias = "str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]"


class SamplingResult(list[ContentBlock]):
    """A message of the client's model: a list of its content blocks.

    Args:
        content: the blocks.
        role: the role of the message, usually `assistant`.
        model: the model that the client used.
        stop_reason: why the model stopped, if known; `toolUse` when it requests tool calls.
    """

    def __init__(
        self,
        content: Iterable[ContentBlock] = (),
        role: str = "assistant",
        model: str = "",
        stop_reason: str | None = None,
    ) -> None:
        super().__init__(content)
        self.role = role
        self.model = model
        self.stop_reason = stop_reason

    @property
    def stopReason(self) -> str | None:
        """The same as `stop_reason`, as the protocol spells it."""
        return self.stop_reason

    @property
    def content(self) -> list[ContentBlock]:
        """The blocks, as a plain list."""
        return list(self)

    @property
    def text(self) -> str:
        """The text of all text blocks, joined by newlines."""
        return "\n".join(str(block.get("text", "")) for block in self if block.get("type") == "text")

    @property
    def tool_uses(self) -> list[ToolUseContent]:
        """The tool calls that the model requests: each has an `id`, a `name` and its `input`."""
        return [block for block in self if isinstance(block, ToolUseContent)]

    @property
    def message(self) -> SamplingMessage:
        """The result as a message, for the next turn of the conversation."""
        return SamplingMessage(role=self.role, content=self.content)


class Sampling(Namespace):
    """`context.sampling`: sample the client's model."""

    async def create_message(
        self,
        messages: Messages,
        system_prompt: str | None = None,
        include_context: Literal["none", "thisServer", "allServers"] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = 512,
        model_preferences: Mapping[str, Any] | str | Sequence[str] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        tool_choice: Mapping[str, Any] | None = None,
        *,
        stop_sequences: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        key: str = "",
    ) -> SamplingResult:
        """Ask the client's model to write the next message.

        Args:
            messages: the conversation: text, or messages as on the wire; bare text is the user's.
            system_prompt: the system prompt.
            include_context: whose context the client should add; omitted if the client does not support it.
            temperature: the sampling temperature.
            max_tokens: the limit for the length of the message.
            model_preferences: as on the wire, or the name of a model, or names in order of preference.
            tools: tools that the model may call, as on the wire.
            tool_choice: `{"mode": "auto" | "required" | "none"}`.
            stop_sequences: texts that end the message.
            metadata: passed on to the model's provider.
            timeout: seconds to wait; the default is a setting.
            key: a name for the request, as for `context.ui.elicit`.

        Returns:
            The message of the model; `.text` is its text, `.tool_uses` are the tool calls that it requests.

        Raises:
            SamplingNotSupportedError: when the client does not support sampling, or not with tools.
            ContextError: when the client does not respond in time.
            RemoteError: when the client responds with an error, for example because the user refuses.
            ValueError: when tool results do not follow the tool calls that they answer, or the preferences are not
                valid.
        """
        turns = [messages] if isinstance(messages, str | Mapping) else messages
        conversation = [_message(turn) for turn in turns]
        _check_tool_results(conversation)
        self._check_support(wants_tools=tools is not None or tool_choice is not None)
        optional = {
            "systemPrompt": system_prompt,
            "temperature": temperature,
            "stopSequences": stop_sequences,
            "modelPreferences": _preferences(model_preferences),
            "includeContext": include_context if self._supports_context(include_context) else None,
            "tools": tools,
            "toolChoice": tool_choice,
            "metadata": metadata,
        }
        params: Json = {
            "messages": conversation,
            "maxTokens": max_tokens or 512,
            **{name: value for name, value in optional.items() if value is not None},
        }
        result = await self._context.request("sampling/createMessage", params, timeout, key)
        blocks = content_blocks(result.get("content"))
        return SamplingResult(
            blocks, result.get("role", "assistant"), result.get("model", ""), result.get("stopReason")
        )

    def _check_support(self, *, wants_tools: bool) -> None:
        declared = self._context.port.client.capabilities.get("sampling")
        if not isinstance(declared, dict):
            reason = "This client provides no model: it did not declare the sampling capability."
            raise SamplingNotSupportedError(reason, {"sampling": {"tools": {}} if wants_tools else {}})
        if wants_tools and not (self._context.port.client.revision.sampling_tools and "tools" in declared):
            reason = "This client's model does not support tools: it did not declare the sampling.tools capability."
            raise SamplingNotSupportedError(reason, {"sampling": {"tools": {}}})

    def _supports_context(self, context: str | None) -> bool:
        """Return whether `includeContext` may be sent. Source: 2025-11-25, client/sampling, capabilities."""
        # The capability `context` is as old as `sampling_tools`.
        if context == "none" or not self._context.port.client.revision.sampling_tools:
            return True
        return "context" in self._context.port.client.capabilities["sampling"]


def _preferences(preferences: Mapping[str, Any] | str | Sequence[str] | None) -> Any:
    if preferences is None or isinstance(preferences, Mapping):
        return preferences
    names = [preferences] if isinstance(preferences, str) else preferences
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ValueError("model_preferences must be the name of a model, a list of names, or ModelPreferences.")
    return {"hints": [{"name": name} for name in names]}


def _message(message: str | Mapping[str, Any]) -> Json:
    if isinstance(message, str):
        return {"role": "user", "content": {"type": "text", "text": message}}
    if isinstance(message.get("content"), str):
        return {**message, "content": {"type": "text", "text": message["content"]}}
    return dict(message)


def _check_tool_results(conversation: list[Json]) -> None:
    """Check that every tool call of the model is answered in the next message, which holds nothing else.

    Source: 2025-11-25, client/sampling, message content constraints.
    """
    open_calls: set[Any] = set()
    for message in conversation:
        blocks = content_blocks(message.get("content"))
        results = {block.get("toolUseId") for block in blocks if block.get("type") == "tool_result"}
        if results and any(block.get("type") != "tool_result" for block in blocks):
            raise ValueError("a message with a tool_result must contain nothing else; send text in a separate message.")
        if results != open_calls:
            mismatches = ", ".join(sorted(map(repr, results ^ open_calls)))
            raise ValueError(f"each tool_use needs a tool_result in the next message; check {mismatches}.")
        open_calls = {block.get("id") for block in blocks if block.get("type") == "tool_use"}
    if open_calls:
        raise ValueError(f"no tool_result for the tool_use {', '.join(sorted(map(repr, open_calls)))}; add it.")
