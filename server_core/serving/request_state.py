"""The `requestState` of a stateless call that waits for input, and the key that signs it.

A state holds what the call needs to run again from the start where it is no longer suspended: after a restart, or at
another replica. It is bound to the method, the params and the user, and it expires.

Source: 2026-07-28, basic/patterns, multi round-trip requests: requestState is to be treated as hostile.
"""

import hashlib
import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError, ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.jsonrpc import Params, Request
from server_core.runtime import signing
from server_core.settings import Settings

NAME = "state.key"
KEY_BYTES = 32
MAX_KEY_FILE_BYTES = 4096
# The params that differ between the request rounds of one call.
_PARAMS_OF_THE_ROUND = frozenset({"_meta", "inputResponses", "requestState"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallState:
    """The contents of a `requestState`."""

    id: str  # The id of the suspended call; it may have ended, or run in another process.
    responses: dict[str, Any]  # The input responses of the rounds before the last, by key.


class RequestStates:
    """Signs and verifies the states of calls."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._key = settings.state_key

    def seal(self, request: Request, principal: str, state: CallState) -> str:
        """Return the `requestState` for a request of an authenticated user; the principal is empty for none."""
        claims = {"sub": principal, "call": _digest(request), "jti": state.id, "answers": state.responses}
        return signing.sign(self._signing_key(), claims, self._settings.input_seconds)

    def open(self, request: Request, principal: str) -> CallState | None:
        """Return the contents of the state in a request; None when it has no state.

        ProtocolError -32602 for a state that is not signed by us, has expired, or belongs to another request.
        """
        state = request.params.get("requestState")
        if state is None:
            return None
        if not isinstance(state, str):
            raise _refused('"requestState" must be the string that was sent')
        try:
            claims = signing.verify(self._signing_key(), state)
        except signing.InvalidSignature as error:
            raise _refused(f"this requestState cannot be used. {error} Call again without it") from None
        if claims.get("sub") != principal or claims.get("call") != _digest(request):
            raise _refused("this requestState belongs to another request. Call again without it")
        return CallState(str(claims.get("jti")), dict(claims.get("answers") or {}))

    def _signing_key(self) -> str:
        # Read with the first state, since few servers have one.
        if not self._key:
            self._key = key_of_this_user()
        return self._key


def _digest(request: Request) -> str:
    params: Params = {name: value for name, value in request.params.items() if name not in _PARAMS_OF_THE_ROUND}
    text = json.dumps([request.method, params], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _refused(reason: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, f"Invalid params: {reason}")


def key_of_this_user() -> str:
    """Return the key from the data folder, which is created if needed, or else a key for this process only."""
    try:
        return _stored_key()
    except (OSError, ConfigurationError) as error:
        _log.warning(
            "The key for calls that wait for input cannot be stored (%s). Such calls continue while this process runs, "
            "but not after a restart; correct this, or set WORKBENCH_STATE_KEY.",
            error,
        )
        return _new_key()


def _stored_key() -> str:
    from server_core.runtime import private_files
    from server_core.runtime.paths import data_folder

    path = data_folder() / NAME
    if key := _read_key(path):
        return key
    with private_files.lock_folder(path.parent):
        # Another process may have created it meanwhile.
        if not (key := _read_key(path)):
            key = _new_key()
            private_files.replace(path, key.encode("ascii"))
    return key


def _read_key(path: Path) -> str:
    """Return the key in the file; empty when it is missing or incomplete."""
    from server_core.runtime import private_files

    try:
        key = private_files.read(path, MAX_KEY_FILE_BYTES).decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    # A power failure may leave an incomplete key, which is replaced.
    return key if len(key) >= 2 * KEY_BYTES else ""


def _new_key() -> str:
    return os.urandom(KEY_BYTES).hex()
