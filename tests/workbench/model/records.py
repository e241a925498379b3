"""Records for tests, written as the messages that they hold."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from server_core.records.tap import Direction, Kind, Record
from workbench.model.traffic.timeline import Timeline

IN, OUT = Direction.IN, Direction.OUT


def timeline_of(*records: Record) -> Timeline:
    timeline = Timeline()
    timeline.extend(records)
    return timeline


def drop_bodies(timeline: Timeline) -> None:
    """Drop every body but the newest, as when the budget is exceeded."""
    timeline.bodies.budget = 0
    timeline.drop_bodies()


class Wire:
    """Numbers records one after the other, a tenth of a second apart."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = count(1)

    def raw(self, kind: Kind, data: bytes, *, session: str = "s1", direction: Direction = IN, call: str = "") -> Record:
        seq = next(self._numbers)
        return Record(seq, 1000 + seq / 10, session, direction, kind, call, data)

    def message(self, kind: Kind, value: Any, **place: Any) -> Record:
        return self.raw(kind, json.dumps({"jsonrpc": "2.0", **value}).encode(), **place)

    def request(self, id: str | int, method: str, params: Any = None, **place: Any) -> Record:
        value = {"id": id, "method": method} | ({} if params is None else {"params": params})
        return self.message(Kind.REQUEST, value, **place)

    def call(self, id: str | int, tool: str, token: str | int | None = None, **place: Any) -> Record:
        params: dict[str, Any] = {"name": tool, "arguments": {"name": "Ada"}}
        if token is not None:
            params["_meta"] = {"progressToken": token}
        return self.request(id, "tools/call", params, **place)

    def result(self, id: str | int, result: Any = None, *, direction: Direction = OUT, **place: Any) -> Record:
        return self.message(Kind.RESPONSE, {"id": id, "result": result or {}}, direction=direction, **place)

    def error(self, id: str | int, *, direction: Direction = OUT, **place: Any) -> Record:
        body = {"code": -32602, "message": "Unknown tool"}
        return self.message(Kind.ERROR, {"id": id, "error": body}, direction=direction, **place)

    def notification(self, method: str, params: Any = None, *, direction: Direction = OUT, **place: Any) -> Record:
        return self.message(Kind.NOTIFICATION, {"method": method, "params": params or {}}, direction=direction, **place)

    def lifecycle(self, event: str, session: str = "", **facts: Any) -> Record:
        data = json.dumps({"event": event, **facts}).encode()
        return self.raw(Kind.LIFECYCLE, data, session=session, direction=Direction.NONE)
