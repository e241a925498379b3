"""JSON-RPC 2.0 messages: bytes <-> values.

Ids keep their type: the string "1" and the integer 1 are two ids. What cannot be read becomes a
:class:`Malformed`, never an exception, because a bad frame is something to answer and to record.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from json.scanner import make_scanner
from typing import Any, TypeAlias

from server_core.protocol.codes import INVALID_REQUEST, PARSE_ERROR

RequestId: TypeAlias = str | int
Params: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class Request:
    """A message that wants an answer."""

    id: RequestId
    method: str
    params: Params


@dataclass(slots=True)
class Notification:
    """A message that wants no answer."""

    method: str
    params: Params


@dataclass(slots=True)
class Response:
    """The answer to a request that was served."""

    id: RequestId
    result: dict[str, Any]


@dataclass(slots=True)
class ErrorResponse:
    """The answer to a request that failed; the id is None where the request could not be read."""

    id: RequestId | None
    code: int
    message: str
    data: Any = None


@dataclass(slots=True)
class Malformed:
    """Bytes that are no message, with the error that answers them.

    `id` is the request's own where it could be read, else None.
    """

    code: int
    message: str
    id: RequestId | None = None


Message: TypeAlias = Request | Notification | Response | ErrorResponse | Malformed


def parse(data: bytes) -> Message:
    """Read one message.

    Args:
        data: the UTF-8 text of one JSON value.

    Returns:
        The message; :class:`Malformed` when it is none.

    Source: JSON-RPC 2.0 sections 4 and 5; MCP, basic: ids are strings or integers and never null.
    """
    value = decode(data)
    if type(value) is not dict:
        if type(value) is Malformed:
            return value
        what = "a batch, which this revision does not have" if type(value) is list else "not an object"
        return Malformed(INVALID_REQUEST, f"Invalid request: the message is {what}")
    if value.get("jsonrpc") != "2.0":
        return Malformed(INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0"', readable_id(value))
    if "method" in value:
        return _call(value)
    return _answer(value)


def decode(data: bytes) -> Any:
    """Return a JSON value from its UTF-8 text; :class:`Malformed` when it is none."""
    try:
        return _decode(data.decode())
    except (ValueError, RecursionError) as error:
        return Malformed(PARSE_ERROR, f"Parse error: {_reason(error)}")


def request(id: RequestId, method: str, params: Params | None = None) -> bytes:
    """Return the bytes of a request; no params leaves the member out."""
    return encode(_with_params({"jsonrpc": "2.0", "id": id, "method": method}, params))


def notification(method: str, params: Params | None = None) -> bytes:
    """Return the bytes of a notification; no params leaves the member out."""
    return encode(_with_params({"jsonrpc": "2.0", "method": method}, params))


def response(id: RequestId, result: dict[str, Any]) -> bytes:
    """Return the bytes of the answer to a request that was served."""
    return response_encoded(id, encode(result))


def response_encoded(id: RequestId, result: bytes) -> bytes:
    """Return the bytes of the answer to a request, from the JSON text of its result."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (b"%d" % id if type(id) is int else encode(id), result)


def error(id: RequestId | None, code: int, message: str, data: Any = None) -> bytes:
    """Return the bytes of the answer to a request that failed.

    An unreadable id is left out: `"id": null` does not fit the MCP schema.
    """
    body: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    envelope: dict[str, Any] = {"jsonrpc": "2.0", "error": body}
    return encode(envelope if id is None else {"jsonrpc": "2.0", "id": id, "error": body})


def id_text(id: RequestId | None) -> str:
    """Return the JSON text of a request's id; empty for none."""
    if type(id) is int:
        return str(id)
    if id is None:
        return ""
    # Half of a surrogate pair has no UTF-8 form, and nobody could store it.
    return json.dumps(id, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def readable_id(value: dict[str, Any], key: str = "id") -> RequestId | None:
    """Return the id that an object holds under a key; None where there is none, or it is of another type."""
    id = value.get(key)
    # Not by isinstance: true and false are integers to Python, and equal to 1 and 0.
    return id if type(id) is str or type(id) is int else None


def encode(value: Any) -> bytes:
    """Return a JSON value as compact UTF-8 text on one line.

    Raises:
        ValueError: when the value holds NaN or an infinity, or a reference to itself.
        TypeError: when the value holds something that JSON has no form for.
    """
    text = _text(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair (a name of a file, say) has no UTF-8 form, and strict readers drop a message with
        # its escape in it, answers among them: it goes out as U+FFFD. RFC 7493 section 2.1.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _call(value: dict[str, Any]) -> Message:
    method, params = value["method"], value.get("params")
    id = value.get("id")
    if type(method) is not str:
        return Malformed(INVALID_REQUEST, 'Invalid request: "method" must be a string', readable_id(value))
    if params is None:
        params = {}
    elif type(params) is not dict:
        return Malformed(INVALID_REQUEST, 'Invalid request: "params" must be an object', readable_id(value))
    if "id" not in value:
        return Notification(method, params)
    if type(id) is not str and type(id) is not int:
        return Malformed(INVALID_REQUEST, 'Invalid request: "id" must be a string or an integer')
    return Request(id, method, params)


def _answer(value: dict[str, Any]) -> Message:
    id = readable_id(value)
    if "error" in value:
        body = value["error"]
        if type(body) is not dict or type(body.get("code")) is not int or type(body.get("message")) is not str:
            return Malformed(INVALID_REQUEST, 'Invalid response: "error" needs a code and a message', id)
        return ErrorResponse(id, body["code"], body["message"], body.get("data"))
    if "result" in value and id is not None and type(value["result"]) is dict:
        return Response(id, value["result"])
    return Malformed(INVALID_REQUEST, "Invalid request: neither a method nor a result with an id", id)


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
    try:
        value, end = _scan(text, 0)
        if end == len(text):
            return value
    except StopIteration:
        pass  # Blanks at the start, or no JSON at all: the decoder knows.
    return _decoder.decode(text)


def _text(value: Any) -> str:
    if _encode_quickly is not None:
        try:
            return "".join(_encode_quickly(value, 0))
        except RecursionError:
            pass  # A reference to itself, or just deep: the encoder knows.
    return _encoder.encode(value)


# Made once: `json.loads` and `json.dumps` make new ones for each message when they are given options, and even a
# decoder looks for blanks before and after each message, an encoder makes its inner part for each.
_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
_scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_decoder)  # type: ignore[arg-type]
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_inner: Callable[..., Callable[[Any, int], tuple[str, ...]]] | None = getattr(json.encoder, "c_make_encoder", None)
_encode_quickly = _inner and _inner(
    None, _encoder.default, json.encoder.encode_basestring, None, ":", ",", False, False, False
)
