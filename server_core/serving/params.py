"""Read the params of a request; an error names the param that is missing or has the wrong type."""

from typing import Any

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.jsonrpc import Params


def text_param(params: Params, key: str) -> str:
    """Return a string.

    Raises:
        ProtocolError: INVALID_PARAMS when it is missing or not a string.
    """
    value = params.get(key)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be a string')
    return value


def object_param(params: Params, key: str, *, default: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return an object; the default, if there is one, when the param is null or missing.

    Raises:
        ProtocolError: INVALID_PARAMS when it is missing or not an object.
    """
    value = params.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be an object')
    return value


def texts_param(params: Params, key: str) -> dict[str, str]:
    """Return an object of strings; empty when it is missing.

    Raises:
        ProtocolError: INVALID_PARAMS when it is not an object, or has other values than strings.
    """
    values = object_param(params, key, default={})
    if not all(isinstance(value, str) for value in values.values()):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: every value in "{key}" must be a string')
    return values
