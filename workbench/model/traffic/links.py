"""Links between messages: answers, progress, rounds, tasks and events are matched with their requests.

Rules:

1. Ids keep their type, and each session and each direction of requests has separate ids.
2. Independent HTTP clients without a session share one session in the records, so the same id may be in use several
   times. If a record contains only such an id, an answer belongs to the oldest pending request of its era, and any
   other message to no request, because it is ambiguous.
3. Nothing here iterates over the records: each lookup has the same cost with a hundred thousand of them.
"""

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

from server_core.protocol.envelope import RELATED_TASK, SUBSCRIPTION_ID
from server_core.records.tap import Direction
from workbench.model.traffic.entry import HANDSHAKE, PENDING, STATELESS, Entry

MAX_WAITING = 64  # How many pending requests with one id are stored in addition to the newest.


class Links:
    """The requests of one timeline, by all their keys."""

    def __init__(self) -> None:
        # (session, direction of the request) -> id -> the newest request with this id
        self._requests: dict[tuple[str, Direction], dict[str, Entry]] = {}
        # (session, direction, id) -> the older requests that were still pending when the id was used again
        self._waiting: dict[tuple[str, Direction, str], deque[Entry]] = {}
        # (session, direction of the request) -> JSON text of the progress token -> the request
        self._tokens: dict[tuple[str, Direction], dict[str, Entry]] = {}
        # The hash of a state, which may be long -> the request that was answered with it
        self._states: dict[int, Entry] = {}
        # (session, method, subject) -> the request that was answered with these keys, and without a state
        self._input_requests: dict[tuple[str, str, str], tuple[Entry, frozenset[str]]] = {}
        self._tasks: dict[str, Entry] = {}
        # (session, id) -> the subscription
        self._subscriptions: dict[tuple[str, str], Entry] = {}
        # seq of the first request of a call -> the requests that continue it
        self._followers: dict[int, list[Entry]] = {}

    def request(self, session: str, request_id: str, direction: Direction = Direction.IN) -> Entry | None:
        """Return the newest request with this id (as JSON text); the direction IN is that of the client's own."""
        return self._requests.get((session, direction), {}).get(request_id)

    def only_request(self, session: str, request_id: str, direction: Direction = Direction.IN) -> Entry | None:
        """Return the request with this id; None if several pending requests have it."""
        newest = self.request(session, request_id, direction)
        if newest is None or (session, direction, request_id) not in self._waiting:
            return newest
        waiting = list(self._still_waiting((session, direction, request_id), newest))
        return (waiting or [newest])[0] if len(waiting) < 2 else None

    def match_answer(self, answer: Entry, direction: Direction, result: Any) -> Entry | None:
        """Return the request that an answer belongs to, and drop it from the waiting requests with the same id.

        Args:
            answer: the answer, with its id.
            direction: the direction of the request.
            result: the result; None for an error.
        """
        newest = self.request(answer.session, answer.id, direction)
        key = (answer.session, direction, answer.id)
        if newest is None or key not in self._waiting:
            return newest
        era = STATELESS if isinstance(result, dict) and "resultType" in result else HANDSHAKE
        waiting = list(self._still_waiting(key, newest))
        of_era = waiting if result is None else [request for request in waiting if request.era == era]
        match = next(iter(of_era or waiting), newest)
        left = deque((request for request in waiting if request is not match and request is not newest), MAX_WAITING)
        if left:
            self._waiting[key] = left
        else:
            del self._waiting[key]
        return match

    def by_token(self, session: str, direction: Direction, token: Any) -> Entry | None:
        """Return the request with this progress token."""
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

        Source: 2026-07-28, basic/patterns/mrtr: the same state, and else the same method about the same.
        """
        responses = params.get("inputResponses")
        if type(state := params.get("requestState")) is str:
            request = self._states.get(hash(state))
            return (
                request
                if request is not None and (request.method, request.name) == (entry.method, entry.name)
                else None
            )
        if type(responses) is not dict:
            return None
        asked = self._input_requests.get((entry.session, entry.method, entry.name))
        return asked[0] if asked is not None and responses.keys() <= asked[1] else None

    def followers(self, seq: int) -> list[Entry]:
        """Return the client's requests that continue a call: its later rounds, and those about its task."""
        return self._followers.get(seq, [])

    def add_request(self, entry: Entry) -> None:
        ids = self._requests.setdefault((entry.session, entry.direction), {})
        before = ids.get(entry.id)
        if before is not None and before.status is PENDING and not before.pair:
            key = (entry.session, entry.direction, entry.id)
            self._waiting.setdefault(key, deque(maxlen=MAX_WAITING)).append(before)
        ids[entry.id] = entry
        if entry.method == "subscriptions/listen":
            self._subscriptions[entry.session, entry.id] = entry

    def add_token(self, entry: Entry, token: Any) -> None:
        self._tokens.setdefault((entry.session, entry.direction), {})[id_text(token)] = entry

    def add_input_requests(self, entry: Entry, result: dict[str, Any]) -> None:
        """Store a request that was answered with input requests."""
        if type(state := result.get("requestState")) is str:
            self._states[hash(state)] = entry
        elif type(asked := result.get("inputRequests")) is dict:
            self._input_requests[entry.session, entry.method, entry.name] = entry, frozenset(asked)

    def add_task(self, task_id: Any, entry: Entry) -> None:
        """Store a request that became a task."""
        if type(task_id) is str:
            self._tasks.setdefault(task_id, entry)

    def add_follower(self, entry: Entry) -> None:
        """Store a request that continues a call."""
        self._followers.setdefault(entry.parent, []).append(entry)

    def _still_waiting(self, key: tuple[str, Direction, str], newest: Entry) -> Iterator[Entry]:
        for request in (*self._waiting[key], newest):
            if request.status is PENDING and not request.pair:
                yield request


def id_text(value: Any) -> str:
    """Return an id or token as JSON text, in which "1" and 1 differ; empty for other values."""
    if type(value) is int:
        return str(value)
    if type(value) is str:
        return json.dumps(value, ensure_ascii=False)
    return ""
