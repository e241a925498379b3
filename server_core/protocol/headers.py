"""HTTP headers: those that repeat parts of a stateless message's body, so that proxies need not read bodies; `Origin`.

Source: 2026-07-28, basic/transports, Streamable HTTP: request headers, and custom headers from tool parameters.
"""

import base64
import binascii
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from server_core.errors import ProtocolError
from server_core.protocol.codes import HEADER_MISMATCH
from server_core.protocol.envelope import PROTOCOL_VERSION
from server_core.protocol.jsonrpc import Params

VERSION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"
PARAMETER_PREFIX = "mcp-param-"
MESSAGE_HEADERS = (VERSION_HEADER, METHOD_HEADER, NAME_HEADER)
"""The headers that go with any message."""

NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
"""The param of each method that `Mcp-Name` repeats."""

HeaderParameters = Mapping[str, tuple[str, ...]]
"""From the header of each annotated parameter, in lower case and with its prefix, to the path of the parameter."""

_SENTINEL_START, _SENTINEL_END = "=?base64?", "?="


def encode_value(value: str) -> str:
    """Return the header value for a text: the text itself if a header can carry it, else its base64 form."""
    plain = all(" " <= character <= "~" for character in value) and value == value.strip(" ")
    if plain and not _is_sentinel(value):
        return value
    return f"{_SENTINEL_START}{base64.b64encode(value.encode()).decode()}{_SENTINEL_END}"


def decode_value(value: str) -> str:
    """Return the text of a header value; ProtocolError -32020 if it is marked as base64, but is not."""
    value = value.strip(" \t")
    if not _is_sentinel(value):
        return value
    try:
        return base64.b64decode(value[len(_SENTINEL_START) : -len(_SENTINEL_END)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise mismatch(f"the header value {value!r} is not valid base64 of UTF-8") from None


def parameter_text(value: Any) -> str | None:
    """Return the header text of an argument; None for an absent argument, and for a value without a header form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # JSON Schema regards 42.0 as an integer.
        return str(int(value)) if value.is_integer() else str(value)
    return str(value) if isinstance(value, str | int) else None


def message_headers(method: str, params: Params) -> dict[str, str]:
    """Return the headers of a stateless message, without those of its tool's parameters."""
    headers = {"Mcp-Method": method}
    meta = params.get("_meta")
    if isinstance(meta, dict) and isinstance(version := meta.get(PROTOCOL_VERSION), str):
        headers["MCP-Protocol-Version"] = version
    name = params.get(NAMED_BY.get(method, ""))
    if isinstance(name, str):
        headers["Mcp-Name"] = encode_value(name)
    return headers


def parameter_headers(parameters: HeaderParameters, arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of a tool's annotated parameters that have a value in these arguments."""
    texts = {header: parameter_text(argument_at(arguments, path)) for header, path in parameters.items()}
    return {header: encode_value(text) for header, text in texts.items() if text is not None}


def check_message_headers(
    headers: Mapping[str, str], repeated: Collection[str], method: str, params: Params, version: Any
) -> None:
    """Check that the headers of a stateless message match its body; ProtocolError -32020 if they do not.

    `repeated` are the names of headers that occur more than once; `version` is the revision that the `_meta` names.
    """
    for header in MESSAGE_HEADERS:
        if header in repeated:
            raise mismatch(f"there is more than one {header} header")
    _check(headers, VERSION_HEADER, version)
    _check(headers, METHOD_HEADER, method)
    name = params.get(NAMED_BY.get(method, ""))
    if isinstance(name, str):
        given = headers.get(NAME_HEADER)
        if given is None or decode_value(given) != name:
            raise _differs(NAME_HEADER, given, name)


def check_parameter_headers(
    headers: Mapping[str, str], repeated: Collection[str], parameters: HeaderParameters, arguments: Any
) -> None:
    """Check a tool's annotated parameters in the same way; `arguments` may be anything that the client sent."""
    for header, path in parameters.items():
        if header in repeated:
            raise mismatch(f"there is more than one {header} header")
        text = parameter_text(argument_at(arguments, path))
        given = headers.get(header)
        value = None if given is None else decode_value(given)
        if value != text and not _same_number(value, argument_at(arguments, path)):
            raise _differs(header, given, text)


def argument_at(arguments: Any, path: Iterable[str]) -> Any:
    """Return the argument at a path of names; None when there is none."""
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, Mapping) else None
    return arguments


def mismatch(reason: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, f"Header mismatch: {reason}")


def normalise_origins(given: Iterable[str] | None) -> frozenset[str]:
    """Return web origins in the form in which they are compared; TypeError if this is not a list of strings.

    Source: RFC 6454; 2025-11-25, basic/transports, Security Warning.
    """
    origins = list(given or ())
    if isinstance(given, str) or not all(isinstance(origin, str) for origin in origins):
        raise TypeError('MCPApp\'s allowed_origins must be a list such as ["https://app.example.com"]')
    return frozenset(origin.strip().rstrip("/").lower() for origin in origins if origin.strip())


def _check(headers: Mapping[str, str], header: str, expected: Any) -> None:
    given = headers.get(header)
    if given is None or given.strip(" \t") != expected:
        raise _differs(header, given, expected)


def _differs(header: str, given: str | None, expected: Any) -> ProtocolError:
    description = "is missing" if given is None else f"is {given!r}"
    return mismatch(
        f"the {header} header {description}, but the body has {'none' if expected is None else repr(expected)}"
    )


def _same_number(text: str | None, value: Any) -> bool:
    # `42.0` and `42` are the same integer; a boolean is not a number.
    if text is None or isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return float(text) == value
    except (ValueError, OverflowError):
        return False


def _is_sentinel(value: str) -> bool:
    markers = len(_SENTINEL_START) + len(_SENTINEL_END)
    return len(value) >= markers and value.startswith(_SENTINEL_START) and value.endswith(_SENTINEL_END)
