"""The methods of the link, and the role that each method needs: one table.

Each method gets its params and returns a JSON object. No method returns the value of a secret or a token.
"""

import os
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.errors import ConfigurationError, ProtocolError
from server_core.link import account_methods, call_methods, hold_methods, question_methods
from server_core.link.catalog_description import describe_catalog
from server_core.link.roles import Role
from server_core.protocol.codes import INVALID_PARAMS, METHOD_NOT_FOUND
from server_core.runtime.version import VERSION
from server_core.secrets.secret_store import PLACES

if TYPE_CHECKING:
    from server_core.core import Core

Params: TypeAlias = dict[str, Any]
Result: TypeAlias = dict[str, Any]

# The role is too low. The code is in the range that JSON-RPC reserves for implementations.
FORBIDDEN = -32003
# The core refused a valid request; the message explains why.
REFUSED = -32004
RECORDS_PER_GET = 512
COUNTING_SECONDS = 0.2
"""For how long the calls in captures are counted in one request: a terminal that opens waits for the answer."""


class Control:
    """Serve the requests of one viewer, whose role is authenticated; `subscribe` starts its stream after a number."""

    def __init__(self, core: "Core", role: Role, subscribe: Callable[[int], None]) -> None:
        self._core = core
        self._role = role
        self._subscribe = subscribe
        if role >= Role.OPERATOR:
            core.holds.attach(self)

    def close(self) -> None:
        """Note that the viewer has left; safe to call twice."""
        if self._role >= Role.OPERATOR:
            self._core.holds.detach(self)

    async def handle(self, method: str, params: Params) -> Result:
        """Serve one request; ProtocolError if it is invalid, the role is too low, or the core refuses it."""
        if method not in METHODS:
            raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method}")
        required_role, serve = METHODS[method]
        if self._role < required_role:
            raise ProtocolError(
                FORBIDDEN, f"{method} needs the role {required_role.name.lower()}; yours is {self._role.name.lower()}"
            )
        try:
            return await serve(self, params)
        except ConfigurationError as error:
            raise ProtocolError(REFUSED, str(error)) from error

    def info(self) -> Result:
        core = self._core
        generation = core.generation
        return {
            "id": core.id,
            "pid": os.getpid(),
            "version": VERSION,
            "project": core.title,
            "mode": core.mode,
            "purpose": core.purpose,
            "terminals": core.terminals,
            "started": core.started,
            "http_url": core.http.url,
            "capture": str(core.store.path) if core.store is not None and core.store.path else None,
            "capture_problem": core.store.problem if core.store is not None else "",
            "role": self._role.name.lower(),
            "loaded": core.is_loaded,
            "generation": generation.number if generation is not None else 0,
        }

    async def _core_info(self, params: Params) -> Result:
        return self.info()

    async def _records_subscribe(self, params: Params) -> Result:
        after = _integer(params, "after", default=0)
        if not 0 <= after <= self._core.tap.last_seq:
            raise ProtocolError(
                INVALID_PARAMS, f'"after" is {after}, but the newest record of this core is {self._core.tap.last_seq}'
            )
        self._subscribe(after)
        return {}

    async def _records_get(self, params: Params) -> Result:
        seqs = params.get("seqs")
        if not isinstance(seqs, list) or not all(type(seq) is int for seq in seqs) or len(seqs) > RECORDS_PER_GET:
            raise ProtocolError(INVALID_PARAMS, f'"seqs" must be a list of at most {RECORDS_PER_GET} integers')
        return {"records": [record.to_wire() for record in await self._core.backlog.get(seqs)]}

    async def _catalog_get(self, params: Params) -> Result:
        return describe_catalog(self._core.identity, self._core.generation)

    async def _sessions_list(self, params: Params) -> Result:
        return {"sessions": [session.describe() for session in self._core.sessions]}

    async def _questions_list(self, params: Params) -> Result:
        return {"questions": question_methods.list_questions(self._core, params)}

    async def _questions_answer(self, params: Params) -> Result:
        question_methods.answer(self._core, params)
        return {}

    async def _questions_end(self, params: Params) -> Result:
        question_methods.end(self._core, params)
        return {}

    async def _questions_set_aside(self, params: Params) -> Result:
        question_methods.set_aside(self._core, params)
        return {}

    async def _questions_note_rule(self, params: Params) -> Result:
        question_methods.note_rule(self._core, params)
        return {}

    async def _captures_list(self, params: Params) -> Result:
        from server_core.records.capture.capture_listing import list_captures

        captures = await self._core.run_on_thread(partial(list_captures, counting_seconds=COUNTING_SECONDS))
        return {"captures": [capture.to_json() for capture in captures]}

    async def _secrets_list(self, params: Params) -> Result:
        generation = self._core.generation
        if generation is None:
            return {"secrets": []}
        tools_by_key = generation.catalog.secrets
        return {
            "secrets": [
                {**asdict(status), "tools": list(tools_by_key[status.key])}
                for status in self._core.secrets.status(sorted(tools_by_key))
            ]
        }

    async def _secrets_set(self, params: Params) -> Result:
        place = _text(params, "place", default="env-file")
        if place not in PLACES:
            raise ProtocolError(INVALID_PARAMS, f'"place" must be one of {", ".join(PLACES)}')
        key, value = _text(params, "key"), _text(params, "value")
        await self._core.run_on_thread(lambda: self._core.set_secret(key, value, place))
        return {}

    async def _secrets_unset(self, params: Params) -> Result:
        key = _text(params, "key")
        await self._core.run_on_thread(lambda: self._core.unset_secret(key))
        return {}

    async def _secrets_mask(self, params: Params) -> Result:
        """Mask values that the terminal is about to send in the arguments of a call."""
        secrets = params.get("secrets")
        if not isinstance(secrets, dict) or not all(isinstance(value, str) for value in secrets.values()):
            raise ProtocolError(INVALID_PARAMS, '"secrets" must be an object of names and values')
        await self._core.run_on_thread(lambda: self._core.tap.masker.set(secrets))
        return {}

    async def _accounts_list(self, params: Params) -> Result:
        return {"accounts": await account_methods.list_accounts(self._core)}

    async def _accounts_login(self, params: Params) -> Result:
        return await account_methods.log_in(
            self._core, _text(params, "account"), by_device=params.get("device") is True
        )

    async def _accounts_logout(self, params: Params) -> Result:
        return await account_methods.log_out(self._core, _text(params, "account"))

    async def _calls_time(self, params: Params) -> Result:
        return call_methods.time_left(params)

    async def _calls_extend(self, params: Params) -> Result:
        return call_methods.extend(params)

    async def _hold_set(self, params: Params) -> Result:
        return hold_methods.set_hold(self._core, self, params)

    async def _hold_clear(self, params: Params) -> Result:
        self._core.holds.clear()
        return self._core.holds.describe()

    async def _hold_list(self, params: Params) -> Result:
        return self._core.holds.describe()

    async def _hold_release(self, params: Params) -> Result:
        return hold_methods.release(self._core.holds, params)

    async def _hold_edit(self, params: Params) -> Result:
        return hold_methods.edit(self._core.holds, params)

    async def _hold_drop(self, params: Params) -> Result:
        return hold_methods.drop(self._core.holds, params)

    async def _hold_duplicate(self, params: Params) -> Result:
        return hold_methods.duplicate(self._core.holds, params)

    async def _hold_delay(self, params: Params) -> Result:
        return hold_methods.delay(self._core.holds, params)

    async def _hold_answer(self, params: Params) -> Result:
        return hold_methods.answer(self._core.holds, params)

    async def _core_reload(self, params: Params) -> Result:
        return describe_catalog(self._core.identity, await self._core.reload_now())

    async def _core_stop(self, params: Params) -> Result:
        # Recorded first, so that terminals get it even if the shutdown fails.
        self._core.tap.emit_event("stop_ordered", id=self._core.id)
        # Only requested: the response to this request must still be sent over the link, which the shutdown closes.
        self._core.stop_requested.set()
        return {}

    async def _core_keep(self, params: Params) -> Result:
        self._core.is_detached = True
        return {}

    async def _core_http(self, params: Params) -> Result:
        host = _text(params, "host", default="127.0.0.1")
        return {"url": await self._core.http.open(host, _integer(params, "port", default=0))}

    async def _core_stop_http(self, params: Params) -> Result:
        await self._core.http.close()
        return {}


METHODS: dict[str, tuple[Role, Callable[[Control, Params], Awaitable[Result]]]] = {
    "core/info": (Role.VIEWER, Control._core_info),
    "records/subscribe": (Role.VIEWER, Control._records_subscribe),
    "records/get": (Role.VIEWER, Control._records_get),
    "catalog/get": (Role.VIEWER, Control._catalog_get),
    "sessions/list": (Role.VIEWER, Control._sessions_list),
    "questions/list": (Role.VIEWER, Control._questions_list),
    "questions/answer": (Role.OPERATOR, Control._questions_answer),
    "questions/end": (Role.OPERATOR, Control._questions_end),
    "questions/set_aside": (Role.OPERATOR, Control._questions_set_aside),
    "questions/note_rule": (Role.OPERATOR, Control._questions_note_rule),
    "captures/list": (Role.VIEWER, Control._captures_list),
    "secrets/list": (Role.VIEWER, Control._secrets_list),
    "secrets/set": (Role.ADMIN, Control._secrets_set),
    "secrets/unset": (Role.ADMIN, Control._secrets_unset),
    "secrets/mask": (Role.OPERATOR, Control._secrets_mask),
    "accounts/list": (Role.VIEWER, Control._accounts_list),
    "accounts/login": (Role.ADMIN, Control._accounts_login),
    "accounts/logout": (Role.ADMIN, Control._accounts_logout),
    "calls/time": (Role.VIEWER, Control._calls_time),
    "calls/extend": (Role.OPERATOR, Control._calls_extend),
    **{
        f"hold/{name}": (Role.OPERATOR, method)
        for name, method in (
            ("set", Control._hold_set),
            ("clear", Control._hold_clear),
            ("list", Control._hold_list),
            ("release", Control._hold_release),
            ("edit", Control._hold_edit),
            ("drop", Control._hold_drop),
            ("duplicate", Control._hold_duplicate),
            ("delay", Control._hold_delay),
            ("answer", Control._hold_answer),
        )
    },
    "core/reload": (Role.ADMIN, Control._core_reload),
    "core/stop": (Role.ADMIN, Control._core_stop),
    "core/keep": (Role.OPERATOR, Control._core_keep),
    "core/http": (Role.ADMIN, Control._core_http),
    "core/stop_http": (Role.ADMIN, Control._core_stop_http),
}


def _text(params: Params, name: str, default: str | None = None) -> str:
    value = params.get(name, default)
    # An empty secret may be set, but not an empty key.
    if not isinstance(value, str) or (not value and default is None and name == "key"):
        raise ProtocolError(INVALID_PARAMS, f'"{name}" must be a string')
    return value


def _integer(params: Params, name: str, default: int) -> int:
    value = params.get(name, default)
    if type(value) is not int:
        raise ProtocolError(INVALID_PARAMS, f'"{name}" must be an integer')
    return value
