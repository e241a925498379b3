"""An index of requests, with which responses, progress, rounds, tasks and events are matched with their requests.

Rules:

1. Ids keep their type, and each session and each direction of requests has separate ids.
2. Independent HTTP clients without a session share one session in the records, so several pending requests may have
   the same id. If a record has nothing but such an id, a response belongs to the oldest of these requests, of its era
   if that is known, and any other message belongs to no request, because it is ambiguous.
3. Nothing here iterates over the records, but for the end of a session: each lookup has the same cost with a million
   of them.
4. Only the newest requests of the sessions that were used last are here, so that memory is limited: a record that has
   nothing but the id of an older request belongs to no request.
"""

import json
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Any, TypeVar

from server_core.protocol.envelope import RELATED_TASK, SUBSCRIPTION_ID
from server_core.records.tap import Direction
from workbench.model.traffic.entry import HANDSHAKE, PENDING, STATELESS, Entry

MAX_OLDER = 64  # How many pending requests with one id are stored in addition to the newest.
MAX_REQUESTS = 10_000  # How many requests of a session are found by their ids, and how many calls by other keys.
MAX_SESSIONS = 1_000  # Of how many sessions, in each direction.

K = TypeVar("K")
V = TypeVar("V")


class _Newest(OrderedDict[K, V]):
    """A mapping of the keys that were set last."""

    def __init__(self, limit: int | None = None) -> None:
        super().__init__()
        self._limit = limit or MAX_REQUESTS

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._limit:
            self.popitem(last=False)


class RequestIndex:
    """The requests of one timeline, by all their keys."""

    def __init__(self) -> None:
        # (session, direction of the request) -> id -> the newest request with this id
        self._requests: _Newest[tuple[str, Direction], _Newest[str, Entry]] = _Newest(MAX_SESSIONS)
        # (session, direction, id) -> the older requests that were still pending when the id was used again
        self._older: _Newest[tuple[str, Direction, str], deque[Entry]] = _Newest()
        # (session, direction of the request) -> JSON text of the progress token -> the request
        self._tokens: _Newest[tuple[str, Direction], _Newest[str, Entry]] = _Newest(MAX_SESSIONS)
        # The hash of a `requestState`, which may itself be long -> the request whose result contains it
        self._states: _Newest[int, Entry] = _Newest()
        # (session, method, name) -> the request whose result had no state, and the keys of its input requests
        self._input_requests: _Newest[tuple[str, str, str], tuple[Entry, frozenset[str]]] = _Newest()
        # id of a task -> the request that became it
        self._tasks: _Newest[str, Entry] = _Newest()
        # (session, id) -> the request that opened the subscription
        self._subscriptions: _Newest[tuple[str, str], Entry] = _Newest()
        # seq of the first request of a call -> the requests that continue it
        self._followers: dict[int, list[Entry]] = {}

    def request(self, session: str, request_id: str, direction: Direction = Direction.IN) -> Entry | None:
        """Return the newest request with this id; the direction is IN if the client sent it, OUT if the server did."""
        ids = self._requests.get((session, direction))
        return None if ids is None else ids.get(request_id)

    def only_request(self, session: str, request_id: str, direction: Direction = Direction.IN) -> Entry | None:
        """Return the request with this id; None if several pending requests have it."""
        newest = self.request(session, request_id, direction)
        if newest is None or (session, direction, request_id) not in self._older:
            return newest
        pending = list(self._pending((session, direction, request_id), newest))
        if len(pending) > 1:
            return None
        return pending[0] if pending else newest

    def match_response(self, response: Entry, direction: Direction, result: Any) -> Entry | None:
        """Return the request that a response (None: an error) belongs to, and drop it from those with the same id."""
        newest = self.request(response.session, response.id, direction)
        key = (response.session, direction, response.id)
        if newest is None or key not in self._older:
            return newest
        # From 2026-07-28 on, every result has a `resultType`, which no earlier revision defines. An error has no such
        # mark.
        era = STATELESS if isinstance(result, dict) and "resultType" in result else HANDSHAKE
        pending = list(self._pending(key, newest))
        of_era = pending if result is None else [request for request in pending if request.era == era]
        match = next(iter(of_era or pending), newest)
        older = deque((request for request in pending if request not in (match, newest)), MAX_OLDER)
        if older:
            self._older[key] = older
        else:
            del self._older[key]
        return match

    def by_token(self, session: str, direction: Direction, token: Any) -> Entry | None:
        tokens = self._tokens.get((session, direction))
        return None if tokens is None else tokens.get(id_text(token))

    def by_task(self, task_id: Any) -> Entry | None:
        """Return the request that became this task."""
        return self._tasks.get(task_id) if type(task_id) is str else None

    def by_meta(self, session: str, meta: dict[str, Any]) -> Entry | None:
        """Return the request that a message refers to in its `_meta`: of a task, or of a subscription."""
        related = meta.get(RELATED_TASK)
        if type(related) is dict and (request := self.by_task(related.get("taskId"))) is not None:
            return request
        return self._subscriptions.get((session, id_text(meta.get(SUBSCRIPTION_ID))))

    def previous_round(self, entry: Entry, params: dict[str, Any]) -> Entry | None:
        """Return the request whose input requests this request answers; None if there is none.

        Both have the same method and name. If the server sent a `requestState`, this request repeats it; otherwise its
        responses are to input requests of the other.

        Source: 2026-07-28, basic/patterns/mrtr.
        """
        if type(state := params.get("requestState")) is str:
            request = self._states.get(hash(state))
            return (
                request
                if request is not None and (request.method, request.name) == (entry.method, entry.name)
                else None
            )
        responses = params.get("inputResponses")
        if type(responses) is not dict:
            return None
        input_requests = self._input_requests.get((entry.session, entry.method, entry.name))
        return input_requests[0] if input_requests is not None and responses.keys() <= input_requests[1] else None

    def followers(self, seq: int) -> list[Entry]:
        """Return the client's requests that continue a call: its later rounds, and those about its task."""
        return self._followers.get(seq, [])

    def pending_of(self, session: str) -> list[Entry]:
        """Return the requests of a session that have no response; for its end, as it looks at all of them."""
        both = (self._requests.get((session, direction)) for direction in (Direction.IN, Direction.OUT))
        requests = (request for ids in both if ids is not None for request in ids.values())
        return [request for request in requests if request.status is PENDING and not request.pair]

    def add_request(self, entry: Entry) -> None:
        """Store a request as the newest with its id."""
        ids = _of_session(self._requests, entry)
        previous = ids.get(entry.id)
        if previous is not None and previous.status is PENDING and not previous.pair:
            key = (entry.session, entry.direction, entry.id)
            if key not in self._older:
                self._older[key] = deque(maxlen=MAX_OLDER)
            self._older[key].append(previous)
        ids[entry.id] = entry
        if entry.method == "subscriptions/listen":
            self._subscriptions[entry.session, entry.id] = entry

    def restore_request(self, entry: Entry) -> None:
        """Make a request the newest with its id again: the request that followed it is a copy of it."""
        key = (entry.session, entry.direction, entry.id)
        _of_session(self._requests, entry)[entry.id] = entry
        older = self._older.pop(key, deque())
        rest = deque((request for request in older if request != entry), MAX_OLDER)
        if rest:
            self._older[key] = rest

    def add_token(self, entry: Entry, token: Any) -> None:
        _of_session(self._tokens, entry)[id_text(token)] = entry

    def add_input_requests(self, entry: Entry, result: dict[str, Any]) -> None:
        if type(state := result.get("requestState")) is str:
            self._states[hash(state)] = entry
        elif type(input_requests := result.get("inputRequests")) is dict:
            self._input_requests[entry.session, entry.method, entry.name] = entry, frozenset(input_requests)

    def add_task(self, task_id: Any, entry: Entry) -> None:
        if type(task_id) is str:
            self._tasks[task_id] = self._tasks.get(task_id, entry)

    def add_follower(self, entry: Entry) -> None:
        self._followers.setdefault(entry.parent, []).append(entry)

    def _pending(self, key: tuple[str, Direction, str], newest: Entry) -> Iterator[Entry]:
        """Yield the requests with this key that are still pending, the oldest first."""
        for request in (*self._older[key], newest):
            if request.status is PENDING and not request.pair:
                yield request


def _of_session(sessions: _Newest[tuple[str, Direction], _Newest[str, Entry]], entry: Entry) -> _Newest[str, Entry]:
    """Return the requests of the session and direction of an entry, which become those that were used last."""
    key = (entry.session, entry.direction)
    requests = sessions.get(key)
    if requests is None:
        requests = sessions[key] = _Newest()
    else:
        sessions.move_to_end(key)
    return requests


def id_text(value: Any) -> str:
    """Return an id or token as JSON text, in which "1" and 1 differ; empty for other values."""
    if type(value) is int:
        return str(value)
    if type(value) is str:
        return json.dumps(value, ensure_ascii=False)
    return ""
