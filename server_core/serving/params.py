"""The params of a request, read one by one; what is missing or of the wrong type is refused by its name."""

from typing import Any

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.jsonrpc import Params


def text_param(params: Params, key: str) -> str:
    """Return a text.

    Raises:
        ProtocolError: INVALID_PARAMS when there is none.
    """
    value = params.get(key)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be a string')
    return value


def object_param(params: Params, key: str, *, default: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return an object, or the default where there is one and null or nothing was given.

    Raises:
        ProtocolError: INVALID_PARAMS when there is none.
    """
    value = params.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "{key}" must be an object')
    return value


def texts_param(params: Params, key: str) -> dict[str, str]:
    """Return an object of texts; empty when it is not given.

    Raises:
        ProtocolError: INVALID_PARAMS when it is none, or holds something else.
    """
    values = object_param(params, key, default={})
    if not all(isinstance(value, str) for value in values.values()):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: every value in "{key}" must be a string')
    return values
