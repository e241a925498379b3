"""What a stateless call leaves with its client while it waits for input: signed, so that it comes back as it went.

It holds what the call needs to run again from the start where nobody waits for it any more: after a restart, or at
another replica. It is bound to the method, the params and the client, and its time is limited.

Source: 2026-07-28, basic/patterns, multi round-trip requests: requestState is to be treated as hostile.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.jsonrpc import Params, Request
from server_core.runtime import signing
from server_core.serving.state_key import key_of_this_user
from server_core.settings import Settings

# What differs between the rounds of one call.
_OF_THE_ROUND = frozenset({"_meta", "inputResponses", "requestState"})


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """What a client brings back.

    Attributes:
        id: the call, where it still waits.
        answers: what the client has answered in the rounds before the last, by the key of each question.
    """

    id: str
    answers: dict[str, Any]


class RequestStates:
    """Seal and open the state of calls.

    Args:
        settings: the key, and for how long a state holds.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._key = settings.state_key

    def seal(self, request: Request, principal: str, waiting: WaitingCall) -> str:
        """Return the `requestState` of a call.

        Args:
            request: the call, as it came.
            principal: who the client has proved to be.
            waiting: what it is to bring back.
        """
        claims = {"sub": principal, "call": _digest(request), "jti": waiting.id, "answers": waiting.answers}
        return signing.sign(self._key_of_ours(), claims, self._settings.input_seconds)

    def open(self, request: Request, principal: str) -> WaitingCall | None:
        """Return what the client brings back with a request; None when it brings nothing.

        Args:
            request: as it came.
            principal: who the client has proved to be.

        Raises:
            ProtocolError: -32602 when the state is not ours, its time is over, or it belongs to another request.
        """
        state = request.params.get("requestState")
        if state is None:
            return None
        if not isinstance(state, str):
            raise _refused('"requestState" must be the string that was sent')
        try:
            claims = signing.verify(self._key_of_ours(), state)
        except signing.NotSigned as error:
            raise _refused(f"this requestState cannot be used. {error} Call again without it") from None
        if claims.get("sub") != principal or claims.get("call") != _digest(request):
            raise _refused("this requestState belongs to another request. Call again without it")
        return WaitingCall(str(claims.get("jti")), dict(claims.get("answers") or {}))

    def _key_of_ours(self) -> str:
        if not self._key:
            self._key = key_of_this_user()
        return self._key


def _digest(request: Request) -> str:
    params: Params = {name: value for name, value in request.params.items() if name not in _OF_THE_ROUND}
    text = json.dumps([request.method, params], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _refused(reason: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, f"Invalid params: {reason}")
