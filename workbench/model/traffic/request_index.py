"""An index of requests, with which responses, progress, rounds, tasks and events are matched with their requests.

Rules:

1. Ids keep their type, and each session and each direction of requests has separate ids.
2. Independent HTTP clients without a session share one session in the records, so several pending requests may have
   the same id. If a record has nothing but such an id, a response belongs to the oldest of these requests, of its era
   if that is known, and any other message belongs to no request, because it is ambiguous.
3. Nothing here iterates over the records, but for the end of a session: each lookup has the same cost with a hundred
   thousand of them.
"""

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

from server_core.protocol.envelope import RELATED_TASK, SUBSCRIPTION_ID
from server_core.records.tap import Direction
from workbench.model.traffic.entry import HANDSHAKE, PENDING, STATELESS, Entry

MAX_OLDER = 64  # How many pending requests with one id are stored in addition to the newest.


class RequestIndex:
    """The requests of one timeline, by all their keys."""

    def __init__(self) -> None:
        # (session, direction of the request) -> id -> the newest request with this id
        self._requests: dict[tuple[str, Direction], dict[str, Entry]] = {}
        # (session, direction, id) -> the older requests that were still pending when the id was used again
        self._older: dict[tuple[str, Direction, str], deque[Entry]] = {}
        # (session, direction of the request) -> JSON text of the progress token -> the request
        self._tokens: dict[tuple[str, Direction], dict[str, Entry]] = {}
        # The hash of a `requestState`, which may itself be long -> the request whose result contains it
        self._states: dict[int, Entry] = {}
        # (session, method, name) -> the request whose result had no state, and the keys of its input requests
        self._input_requests: dict[tuple[str, str, str], tuple[Entry, frozenset[str]]] = {}
        # id of a task -> the request that became it
        self._tasks: dict[str, Entry] = {}
        # (session, id) -> the request that opened the subscription
        self._subscriptions: dict[tuple[str, str], Entry] = {}
        # seq of the first request of a call -> the requests that continue it
        self._followers: dict[int, list[Entry]] = {}

    def request(self, session: str, request_id: str, direction: Direction = Direction.IN) -> Entry | None:
        """Return the newest request with this id; the direction is IN if the client sent it, OUT if the server did."""
        return self._requests.get((session, direction), {}).get(request_id)

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
        older = deque((request for request in pending if request is not match and request is not newest), MAX_OLDER)
        if older:
            self._older[key] = older
        else:
            del self._older[key]
        return match

    def by_token(self, session: str, direction: Direction, token: Any) -> Entry | None:
        return self._tokens.get((session, direction), {}).get(id_text(token))

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
        both = (self._requests.get((session, direction), {}) for direction in (Direction.IN, Direction.OUT))
        return [request for ids in both for request in ids.values() if request.status is PENDING and not request.pair]

    def add_request(self, entry: Entry) -> None:
        """Store a request as the newest with its id."""
        ids = self._requests.setdefault((entry.session, entry.direction), {})
        previous = ids.get(entry.id)
        if previous is not None and previous.status is PENDING and not previous.pair:
            key = (entry.session, entry.direction, entry.id)
            self._older.setdefault(key, deque(maxlen=MAX_OLDER)).append(previous)
        ids[entry.id] = entry
        if entry.method == "subscriptions/listen":
            self._subscriptions[entry.session, entry.id] = entry

    def add_token(self, entry: Entry, token: Any) -> None:
        self._tokens.setdefault((entry.session, entry.direction), {})[id_text(token)] = entry

    def add_input_requests(self, entry: Entry, result: dict[str, Any]) -> None:
        if type(state := result.get("requestState")) is str:
            self._states[hash(state)] = entry
        elif type(input_requests := result.get("inputRequests")) is dict:
            self._input_requests[entry.session, entry.method, entry.name] = entry, frozenset(input_requests)

    def add_task(self, task_id: Any, entry: Entry) -> None:
        if type(task_id) is str:
            self._tasks.setdefault(task_id, entry)

    def add_follower(self, entry: Entry) -> None:
        self._followers.setdefault(entry.parent, []).append(entry)

    def _pending(self, key: tuple[str, Direction, str], newest: Entry) -> Iterator[Entry]:
        """Yield the requests with this key that are still pending, the oldest first."""
        for request in (*self._older[key], newest):
            if request.status is PENDING and not request.pair:
                yield request


def id_text(value: Any) -> str:
    """Return an id or token as JSON text, in which "1" and 1 differ; empty for other values."""
    if type(value) is int:
        return str(value)
    if type(value) is str:
        return json.dumps(value, ensure_ascii=False)
    return ""
