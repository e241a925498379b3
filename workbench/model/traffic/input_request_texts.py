"""Input requests of a server and the responses to them, each on one line, in any kind of message.

Up to 2025-11-25 an input request is a request of the server; from 2026-07-28 on it is a member of a result or of a
task, and its response a member of the client's next request. Every text is safe to show, and values may have any shape.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from server_core.runtime.safe_json import dump_json
from workbench.model.short_text import shortened

LIMIT = 120  # Characters in one request or response.


def request_text(asked: Any) -> str:
    """Return an input request, an object with `method` and `params`, as text: "form: Which dessert?"."""
    if not isinstance(asked, dict):
        return shortened(_json(asked), LIMIT)
    params = asked.get("params")
    params = params if isinstance(params, dict) else {}
    match asked.get("method"):
        case "elicitation/create" if params.get("mode") == "url":
            text = f"URL: {params.get('url')} {params.get('message') or ''}"
        case "elicitation/create":
            text = f"form: {params.get('message') or ''}"
        case "sampling/createMessage":
            text = f"model: {_last_text(params)}"
        case "roots/list":
            text = "roots: folders to work in"
        case method:
            text = f"{method}: {_json(params)}"
    return shortened(text.strip(), LIMIT)


def response_text(response: Any) -> str:
    """Return the response to an input request as text: `accept {"dessert": "cake"}`."""
    if not isinstance(response, dict):
        return shortened(_json(response), LIMIT)
    if isinstance(action := response.get("action"), str):
        content = response.get("content")
        return shortened(action if content is None else f"{action} {_json(content)}", LIMIT)
    if isinstance(roots := response.get("roots"), list):
        uris = [str(root.get("uri")) if isinstance(root, dict) else _json(root) for root in roots[:10]]
        return shortened(f"roots {', '.join(uris) or 'none'}", LIMIT)
    if "content" in response:
        return shortened(f"model {_text_of(response['content'])}", LIMIT)
    return shortened(_json(response), LIMIT)


def request_texts(result: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the key and the text of each input request in a result or a task."""
    requests = result.get("inputRequests")
    if isinstance(requests, dict):
        for key, request in requests.items():
            yield shortened(key, 40), request_text(request)


def response_texts(params: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the key and the text of each input response in the params of a request."""
    responses = params.get("inputResponses")
    if isinstance(responses, dict):
        for key, response in responses.items():
            yield shortened(key, 40), response_text(response)


def join_texts(parts: Iterable[tuple[str, str]]) -> str:
    """Return requests or responses on one line, with their keys only if there are several."""
    texts = list(parts)
    return texts[0][1] if len(texts) == 1 else "; ".join(f"{key} {text}" for key, text in texts)


def _last_text(params: dict[str, Any]) -> str:
    messages = params.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    return _text_of(last.get("content")) if isinstance(last, dict) else ""


def _text_of(content: Any) -> str:
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            return str(block["text"])
    return _json(content)


def _json(value: Any) -> str:
    try:
        return dump_json(value, ensure_ascii=False)
    except ValueError:
        return "…"
