"""The methods of the link about held messages: their params, checked, and the verbs that they call.

Rule 1: a message is named by the number of its record.
Rule 2: each verb returns the state that the message has reached, and the numbers of the records that were passed on.
"""

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import ProtocolError
from server_core.protocol.codes import INTERNAL_ERROR, INVALID_PARAMS

if TYPE_CHECKING:
    from server_core.core import Core
    from server_core.holding.holds import Holds

Params: TypeAlias = dict[str, Any]

MIN_CLIENT_TIMEOUT = 0.1
MAX_CLIENT_TIMEOUT = 86_400.0
MAX_NAME = 80
_MISSING = object()


def set_hold(core: "Core", operator: object, params: Params) -> dict[str, Any]:
    """Hold the messages that match a filter, for this operator; ConfigurationError if it is no filter."""
    # Imported with the first hold: few cores need the filter language.
    from server_core.holding.holds import CLIENT_TIMEOUT
    from server_core.holding.matcher import load_matcher

    text = _text(params, "filter")
    client_timeout = _number(params, "client_timeout", CLIENT_TIMEOUT, MIN_CLIENT_TIMEOUT, MAX_CLIENT_TIMEOUT)
    name = _text(params, "name") if "name" in params else ""
    core.holds.set(operator, text, load_matcher(text), core.backlog.recent(), client_timeout, name[:MAX_NAME])
    return core.holds.describe()


def release(holds: "Holds", params: Params) -> dict[str, Any]:
    holds.release(_id(params))
    return {"state": "released", "passed": []}


def edit(holds: "Holds", params: Params) -> dict[str, Any]:
    """Pass on a text instead; `raw` sends it also if it is not a valid message."""
    passed = holds.edit(_id(params), _text(params, "text"), on_purpose=params.get("raw") is True)
    return {"state": "edited", "passed": [passed.seq]}


def drop(holds: "Holds", params: Params) -> dict[str, Any]:
    holds.drop(_id(params))
    return {"state": "dropped", "passed": []}


def duplicate(holds: "Holds", params: Params) -> dict[str, Any]:
    copies = params.get("copies", 1)
    if type(copies) is not int:
        raise ProtocolError(INVALID_PARAMS, '"copies" must be an integer')
    passed = holds.duplicate(_id(params), copies)
    return {"state": "duplicated", "passed": [record.seq for record in passed]}


def delay(holds: "Holds", params: Params) -> dict[str, Any]:
    holds.delay(_id(params), _number(params, "ms", None, 0, math.inf))
    return {"state": "delayed", "passed": []}


def answer(holds: "Holds", params: Params) -> dict[str, Any]:
    """Respond to a held request with `result`, an object, or with `error`, which has a message and perhaps a code."""
    result, error = params.get("result", _MISSING), params.get("error", _MISSING)
    if (result is _MISSING) == (error is _MISSING):
        raise ProtocolError(INVALID_PARAMS, 'give either "result" or "error"')
    if error is _MISSING:
        if not isinstance(result, dict):
            raise ProtocolError(INVALID_PARAMS, '"result" must be an object')
        holds.answer(_id(params), result=result)
    else:
        holds.answer(_id(params), error=_error(error))
    return {"state": "answered", "passed": []}


def _error(error: Any) -> dict[str, Any]:
    code = error.get("code", INTERNAL_ERROR) if isinstance(error, dict) else None
    if not isinstance(error, dict) or type(code) is not int or not isinstance(error.get("message"), str):
        raise ProtocolError(INVALID_PARAMS, '"error" must be an object with a message, and perhaps an integer code')
    return {**error, "code": code}


def _id(params: Params) -> int:
    id = params.get("id")
    if type(id) is not int:
        raise ProtocolError(INVALID_PARAMS, '"id" must be the number of a held message')
    return id


def _text(params: Params, name: str) -> str:
    text = params.get(name)
    if not isinstance(text, str):
        raise ProtocolError(INVALID_PARAMS, f'"{name}" must be a string')
    return text


def _number(params: Params, name: str, default: float | None, least: float, most: float) -> float:
    number = params.get(name, default)
    if isinstance(number, bool) or not isinstance(number, int | float) or not least <= number <= most:
        raise ProtocolError(INVALID_PARAMS, f'"{name}" must be a number of at least {least:g}')
    return float(number)
