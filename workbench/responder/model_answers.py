"""Asks the model of a rule, at its endpoint, and streams what it writes.

Rule 1: the key is sent in a header, and removed from every text that comes back.
Rule 2: the whole exchange has one timeout, and its size is limited.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.protocol.sse import EventReader, EventTooLong
from server_core.runtime.safe_json import parse_json_or_none
from server_core.secrets import SecretStore
from workbench.model.rules.answer_rule import ModelAnswer
from workbench.model.rules.answering import CannotAnswer
from workbench.model.rules.model_endpoint import MAX_TEXT, EndpointRequest, ModelReply, endpoint_request, error_text
from workbench.model.rules.tool_request import ToolRequest
from workbench.model.short_text import shortened

if TYPE_CHECKING:
    import httpx

_MAX_BYTES = 20_000_000
_MAX_ERROR = 20_000


async def ask_model(
    answer: ModelAnswer, request: ToolRequest, folder: Path, on_text: Callable[[str], None]
) -> tuple[str, str]:
    """Return what a model answers, and a note with the tokens; CannotAnswer if it does not.

    Args:
        folder: the project, whose secrets contain the key.
        on_text: called with the text so far.
    """
    key = await _read_key(answer, folder)
    completion = ModelReply()

    def masked(text: str) -> str:
        return text.replace(key, f"<secret {answer.key}>") if key else text

    try:
        async with asyncio.timeout(answer.timeout):
            await _stream(endpoint_request(answer, request, key), completion, lambda: on_text(masked(completion.text)))
    except TimeoutError:
        raise CannotAnswer(f"the model {answer.model} did not answer within {answer.timeout:g} seconds") from None
    except CannotAnswer as error:
        raise CannotAnswer(masked(str(error))) from None
    if not completion.text.strip():
        raise CannotAnswer(f"the model {answer.model} wrote nothing")
    return masked(completion.text), f" ({answer.model}, {completion.tokens_in} + {completion.tokens_out} tokens)"


async def _read_key(answer: ModelAnswer, folder: Path) -> str:
    if not answer.key:
        return ""
    key = (await asyncio.to_thread(SecretStore(folder).values, [answer.key])).get(answer.key, "")
    if not key:
        raise CannotAnswer(f"the secret {answer.key} is not set; set it with `workbench secret set {answer.key}`")
    return key


async def _stream(request: EndpointRequest, completion: ModelReply, on_text: Callable[[], None]) -> None:
    # Imported with the first use: few projects have such a rule.
    import httpx

    reader, size = EventReader(MAX_TEXT), 0
    try:
        async with (
            httpx.AsyncClient(timeout=None, follow_redirects=False) as client,
            client.stream("POST", request.url, headers=request.headers, json=request.body) as response,
        ):
            if response.status_code != 200:
                raise CannotAnswer(f"the endpoint answered {response.status_code}: {await _error_of(response)}")
            if "text/event-stream" not in response.headers.get("content-type", ""):
                raise CannotAnswer(f"the endpoint sent no event stream: {await _error_of(response)}")
            async for chunk in response.aiter_bytes():
                size += len(chunk)
                if size > _MAX_BYTES:
                    raise CannotAnswer(f"the endpoint sent more than {_MAX_BYTES:,} bytes")
                before = completion.text
                for event in reader.receive_data(chunk):
                    completion.receive(event.data)
                if completion.text != before:
                    on_text()
    except (httpx.HTTPError, httpx.InvalidURL, EventTooLong, UnicodeEncodeError) as error:
        raise CannotAnswer(f"the endpoint cannot be used: {error or type(error).__name__}") from None


async def _error_of(response: "httpx.Response") -> str:
    data = b""
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > _MAX_ERROR:
            break
    body = parse_json_or_none(data)
    return error_text(body) if isinstance(body, dict) else shortened(data[:200].decode("utf-8", "replace"), 200)
