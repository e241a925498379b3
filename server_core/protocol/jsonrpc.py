"""JSON-RPC 2.0 messages: bytes <-> values.

Ids keep their type: the string "1" and the integer 1 are different ids. Invalid input is returned as
:class:`MalformedMessage`, not raised, because it has to be answered and recorded.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from json.encoder import encode_basestring
from json.scanner import make_scanner
from typing import Any, TypeAlias

from server_core.protocol.codes import INVALID_REQUEST, PARSE_ERROR

RequestId: TypeAlias = str | int
Params: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class Request:
    """A message that expects a response."""

    id: RequestId
    method: str
    params: Params


@dataclass(slots=True)
class Notification:
    """A message that expects no response."""

    method: str
    params: Params


@dataclass(slots=True)
class Response:
    """The response to a request that succeeded."""

    id: RequestId
    result: dict[str, Any]


@dataclass(slots=True)
class ErrorResponse:
    """The response to a request that failed; the id is None if the request could not be parsed."""

    id: RequestId | None
    code: int
    message: str
    data: Any = None


@dataclass(slots=True)
class MalformedMessage:
    """Bytes that are not a valid message, with the error to answer them with."""

    code: int
    message: str
    # That of the request, if it could be read.
    id: RequestId | None = None


Message: TypeAlias = Request | Notification | Response | ErrorResponse | MalformedMessage


def parse(data: bytes) -> Message:
    """Return the message of a JSON text; :class:`MalformedMessage` when it is invalid.

    Source: JSON-RPC 2.0 sections 4 and 5; MCP, basic: ids are strings or integers and never null.
    """
    value = decode(data)
    if type(value) is not dict:
        if type(value) is MalformedMessage:
            return value
        description = "a batch, which this revision does not have" if type(value) is list else "not an object"
        return MalformedMessage(INVALID_REQUEST, f"Invalid request: the message is {description}")
    if value.get("jsonrpc") != "2.0":
        return MalformedMessage(INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0"', readable_id(value))
    if "method" in value:
        return _parse_call(value)
    return _parse_response(value)


def decode(data: bytes) -> Any:
    """Decode a JSON value from its UTF-8 text; :class:`MalformedMessage` when it is invalid."""
    try:
        return _decode(data.decode())
    except (ValueError, RecursionError) as error:
        return MalformedMessage(PARSE_ERROR, f"Parse error: {_reason(error)}")


def request(id: RequestId, method: str, params: Params | None = None) -> bytes:
    """Return the bytes of a request; `params` is omitted if None."""
    return encode(_with_params({"jsonrpc": "2.0", "id": id, "method": method}, params))


def notification(method: str, params: Params | None = None) -> bytes:
    """Return the bytes of a notification; `params` is omitted if None."""
    return encode(_with_params({"jsonrpc": "2.0", "method": method}, params))


def response(id: RequestId, result: dict[str, Any]) -> bytes:
    """Return the bytes of a successful response."""
    return response_encoded(id, encode(result))


def response_encoded(id: RequestId, result: bytes) -> bytes:
    """Return the bytes of a successful response, given the JSON text of its result."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (b"%d" % id if type(id) is int else encode(id), result)


def error(id: RequestId | None, code: int, message: str, data: Any = None) -> bytes:
    """Return the bytes of an error response; `data` is omitted if None."""
    body: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    # An unknown id is omitted, because `"id": null` is invalid in the MCP schema.
    known_id: dict[str, Any] = {} if id is None else {"id": id}
    return encode({"jsonrpc": "2.0", **known_id, "error": body})


def id_text(id: RequestId | None) -> str:
    """Return the JSON text of a request id; empty for None."""
    if type(id) is int:
        return str(id)
    if id is None:
        return ""
    # Half of a surrogate pair has no UTF-8 form, so it could not be stored.
    return json.dumps(id, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def readable_id(value: dict[str, Any], key: str = "id") -> RequestId | None:
    """Return the request id in an object; None when it is missing or of another type."""
    request_id = value.get(key)
    # Not with isinstance: in Python, true and false are integers, and equal to 1 and 0.
    return request_id if type(request_id) is str or type(request_id) is int else None


def encode(value: Any) -> bytes:
    """Return a JSON value as compact UTF-8 text on one line; ValueError if JSON cannot represent it.

    JSON has no NaN, infinities and circular references.
    """
    try:
        text = _text(value)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair (in a file name, for example) has no UTF-8 form, and strict parsers drop messages,
        # including responses, that contain its escape: it is sent as U+FFFD. RFC 7493 section 2.1.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def encode_result(result: dict[str, Any]) -> bytes:
    """Return the JSON text of a result, like :func:`encode`; that of a single text block takes a third of the time."""
    content = result.get("content")
    if type(content) is list and len(content) == 1 and len(result) == 1:
        block = content[0]
        if type(block) is dict and len(block) == 2 and block.get("type") == "text":
            text = block.get("text")
            if type(text) is str:
                try:
                    return b'{"content":[{"type":"text","text":%b}]}' % encode_basestring(text).encode()
                except UnicodeEncodeError:
                    pass  # It contains half of a surrogate pair, which the encoder handles.
    return encode(result)


def _parse_call(value: dict[str, Any]) -> Message:
    method, params = value["method"], value.get("params")
    request_id = value.get("id")
    if type(method) is not str:
        return MalformedMessage(INVALID_REQUEST, 'Invalid request: "method" must be a string', readable_id(value))
    if params is None:
        params = {}
    elif type(params) is not dict:
        return MalformedMessage(INVALID_REQUEST, 'Invalid request: "params" must be an object', readable_id(value))
    if "id" not in value:
        return Notification(method, params)
    if type(request_id) is not str and type(request_id) is not int:
        return MalformedMessage(INVALID_REQUEST, 'Invalid request: "id" must be a string or an integer')
    return Request(request_id, method, params)


def _parse_response(value: dict[str, Any]) -> Message:
    request_id = readable_id(value)
    if "error" in value:
        body = value["error"]
        if type(body) is not dict or type(body.get("code")) is not int or type(body.get("message")) is not str:
            return MalformedMessage(INVALID_REQUEST, 'Invalid response: "error" needs a code and a message', request_id)
        return ErrorResponse(request_id, body["code"], body["message"], body.get("data"))
    if "result" in value and request_id is not None and type(value["result"]) is dict:
        return Response(request_id, value["result"])
    return MalformedMessage(INVALID_REQUEST, "Invalid request: neither a method nor a result with an id", request_id)


def _with_params(envelope: dict[str, Any], params: Params | None) -> dict[str, Any]:
    if params is not None:
        envelope["params"] = params
    return envelope


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at position {error.pos}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at position {error.start}"
    return "nested too deeply" if isinstance(error, RecursionError) else "a value is outside of what JSON allows"


def _decode(text: str) -> Any:
    # Each message is decoded here, so the scanner is called without the decoder's searches for whitespace.
    try:
        value, end = _scan(text, 0)
        if end == len(text):
            return value
    except StopIteration:
        pass  # Leading whitespace, or not JSON at all: the decoder handles both.
    return _decoder.decode(text)


def _text(value: Any) -> str:
    if _encode_quickly is not None:
        try:
            return "".join(_encode_quickly(value, 0))
        except RecursionError:
            pass  # A circular reference, or deep nesting: the encoder distinguishes them.
    return _encoder.encode(value)


# Created once: with options, `json.loads` and `json.dumps` create a decoder or encoder for each message. And even a
# shared decoder scans for whitespace around each message, and a shared encoder creates its C encoder for each.
# `make_scanner` and `c_make_encoder` are not documented; without the C encoder, `_text` uses the documented encoder.
_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
_scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_decoder)  # type: ignore[arg-type]
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_inner: Callable[..., Callable[[Any, int], tuple[str, ...]]] | None = getattr(json.encoder, "c_make_encoder", None)
_encode_quickly = _inner and _inner(None, _encoder.default, encode_basestring, None, ":", ",", False, False, False)
