"""The methods of the link about one running call: how long it may take, and how to extend that."""

from typing import Any

from server_core.errors import ConfigurationError, ProtocolError
from server_core.execution import time_limits
from server_core.execution.running_calls import InFlight, running_call
from server_core.protocol.codes import INVALID_PARAMS

MAX_EXTENSION = 3600.0
"""The most seconds by which one request extends a call."""


def time_left(params: dict[str, Any]) -> dict[str, Any]:
    """Return the seconds until the first time limit of a call; None if it has none."""
    call = _running(params)
    return {"seconds_left": None if call is None else time_limits.seconds_left(call)}


def extend(params: dict[str, Any]) -> dict[str, Any]:
    """Extend all time limits of a call, and return what is left; ConfigurationError if it ended or has no limit.

    With `progress`, its client is sent progress as well, so that it does not give up first, if that is possible.
    """
    seconds = params.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= MAX_EXTENSION:
        raise ProtocolError(INVALID_PARAMS, f'"seconds" must be a number from 0 to {MAX_EXTENSION:g}')
    call = _running(params)
    if call is None:
        raise ConfigurationError("The call has ended.")
    has_sent = params.get("progress") is True and _keep_alive(call, f"It may take {seconds:g} s longer.")
    if not call.limits and not has_sent:
        raise ConfigurationError("The call has no time limit at the moment.")
    time_limits.extend(call, seconds)
    return {**time_left(params), "progress": has_sent}


def _keep_alive(call: InFlight, message: str) -> bool:
    return call.keep_alive is not None and call.keep_alive(message)


def _running(params: dict[str, Any]) -> InFlight | None:
    session, request_id = params.get("session"), params.get("id")
    if not isinstance(session, str) or isinstance(request_id, bool) or not isinstance(request_id, str | int):
        raise ProtocolError(INVALID_PARAMS, '"session" must be a string, and "id" the id of a request')
    return running_call(session, request_id)
