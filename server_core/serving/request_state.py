"""The `requestState` of a stateless call that waits for input: signed, so that the client cannot change it.

It holds what the call needs to run again from the start where it is no longer suspended: after a restart, or at another
replica. It is bound to the method, the params and the user, and it expires.

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

# The params that differ between the request rounds of one call.
_OF_THE_ROUND = frozenset({"_meta", "inputResponses", "requestState"})


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """The contents of a `requestState`.

    Attributes:
        id: the id of the suspended call, where it still waits.
        answers: the input responses of the rounds before the last, by key.
    """

    id: str
    answers: dict[str, Any]


class RequestStates:
    """Sign and verify the state of calls.

    Args:
        settings: the key, and how long a state is valid.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._key = settings.state_key

    def seal(self, request: Request, principal: str, waiting: WaitingCall) -> str:
        """Return the `requestState` of a call.

        Args:
            request: the request of the call, as received.
            principal: the authenticated user.
            waiting: the contents.
        """
        claims = {"sub": principal, "call": _digest(request), "jti": waiting.id, "answers": waiting.answers}
        return signing.sign(self._key_of_ours(), claims, self._settings.input_seconds)

    def open(self, request: Request, principal: str) -> WaitingCall | None:
        """Return the contents of the state in a request; None when it has no state.

        Args:
            request: the request, as received.
            principal: the authenticated user.

        Raises:
            ProtocolError: -32602 when the state is not signed by us, has expired, or belongs to another request.
        """
        state = request.params.get("requestState")
        if state is None:
            return None
        if not isinstance(state, str):
            raise _refused('"requestState" must be the string that was sent')
        try:
            claims = signing.verify(self._key_of_ours(), state)
        except signing.InvalidSignature as error:
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
