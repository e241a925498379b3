"""What is sent to the endpoint of a model, and what the events of its stream mean: bytes in, values out.

Sources: OpenAI, chat completions with `stream`; Anthropic, messages with `stream` (version 2023-06-01).
"""

import json
from dataclasses import dataclass
from typing import Any

from server_core.runtime.safe_json import parse_json_or_none
from workbench.model.json_members import finite, object_in, objects_in, text_in
from workbench.model.rules.answer_rule import ModelAnswer, ModelApi
from workbench.model.rules.answering import CannotAnswer
from workbench.model.rules.tool_request import SAMPLING, ToolRequest
from workbench.model.short_text import shortened

MAX_TEXT = 1_000_000
_ANTHROPIC_VERSION = "2023-06-01"
_FORM = (
    "You fill in a form for the user of a program. Answer with one JSON object that is valid against this JSON Schema, "
    "and with nothing else: "
)


@dataclass(frozen=True, slots=True)
class EndpointRequest:
    """A POST request; its headers contain the key."""

    url: str
    headers: dict[str, str]
    body: dict[str, Any]


def endpoint_request(answer: ModelAnswer, request: ToolRequest, key: str) -> EndpointRequest:
    """Return the request for an answer to a question of a tool; `key` is empty if the endpoint needs none."""
    system, messages = _conversation(request)
    wanted = finite(request.params.get("maxTokens"))
    limit = answer.max_tokens if wanted is None or wanted < 1 else min(answer.max_tokens, int(wanted))
    body: dict[str, Any] = {"model": answer.model, "max_tokens": limit, "stream": True}
    if answer.api is ModelApi.ANTHROPIC:
        body |= {"messages": messages} | ({"system": system} if system else {})
        headers = {"anthropic-version": _ANTHROPIC_VERSION} | ({"x-api-key": key} if key else {})
        return EndpointRequest(f"{answer.url}/messages", headers, body)
    first = [{"role": "system", "content": system}] if system else []
    body |= {"messages": [*first, *messages], "stream_options": {"include_usage": True}}
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return EndpointRequest(f"{answer.url}/chat/completions", headers, body)


class ModelReply:
    """The text that a model writes, and the tokens that it counts; `receive` reads one event."""

    def __init__(self) -> None:
        self.text = ""
        self.tokens_in = 0
        self.tokens_out = 0

    def receive(self, data: bytes) -> None:
        """Read the data of an event; CannotAnswer if it is an error, or no event of such a stream."""
        if data.strip() in (b"", b"[DONE]"):
            return
        event = parse_json_or_none(data)
        if not isinstance(event, dict):
            start = shortened(data[:200].decode("utf-8", "replace"))
            raise CannotAnswer(f"the endpoint sent {start!r}, which is no event of a completion")
        if "error" in event:
            raise CannotAnswer(f"the endpoint reported: {error_text(event)}")
        for choice in objects_in(event, "choices"):
            self._add(text_in(object_in(choice, "delta"), "content"))
        if event.get("type") == "content_block_delta":
            self._add(text_in(object_in(event, "delta"), "text"))
        for usage in (object_in(event, "usage"), object_in(object_in(event, "message"), "usage")):
            self.tokens_in = _count(usage, "prompt_tokens", "input_tokens") or self.tokens_in
            self.tokens_out = _count(usage, "completion_tokens", "output_tokens") or self.tokens_out

    def _add(self, text: str) -> None:
        self.text += text
        if len(self.text) > MAX_TEXT:
            raise CannotAnswer(f"the model wrote more than {MAX_TEXT:,} characters")


def error_text(body: dict[str, Any]) -> str:
    """Return the message in an error of an endpoint, on one line."""
    error = body.get("error")
    message = text_in(error, "message") if isinstance(error, dict) else str(error or "")
    return shortened(message or json.dumps(body), 200)


def _conversation(request: ToolRequest) -> tuple[str, list[dict[str, str]]]:
    """Return the system prompt and the messages."""
    if request.method != SAMPLING:
        schema = json.dumps(request.params.get("requestedSchema") or {}, ensure_ascii=False)
        return _FORM + schema, [{"role": "user", "content": text_in(request.params, "message") or "Fill in the form."}]
    messages = [
        {"role": "assistant" if text_in(message, "role") == "assistant" else "user", "content": _text(message)}
        for message in objects_in(request.params, "messages")
    ]
    return text_in(request.params, "systemPrompt"), messages


def _text(message: dict[str, Any]) -> str:
    """Return the text of a message; other content is named, since not every model reads it."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    texts = [
        block["text"] if isinstance(block.get("text"), str) else f"[{block.get('type')}]"
        for block in blocks
        if isinstance(block, dict)
    ]
    return "\n".join(texts) or "[empty]"


def _count(usage: dict[str, Any], *names: str) -> int:
    return next((int(count) for name in names if (count := finite(usage.get(name))) is not None and count > 0), 0)
