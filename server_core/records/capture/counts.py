"""What a capture holds, counted: the calls of tools and which, how many failed, and the clients.

Counting reads every record, so the counts of a capture stay in memory; of a capture that is being written, only the new
records are read.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_CLIENTS = 10
MAX_TOOLS = 10
# The member of `_meta` in which a stateless request names its client (2026-07-28, basic).
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_CALL, _RETRY = b'"tools/call"', b'"requestState"'
# Servers write JSON with and without spaces.
_FAILED, _FAILED_SPACED = b'"isError":true', b'"isError": true'

# The further rounds of a stateless call are the same call, and so is a request that was delivered instead of another.
_COUNTS = """
SELECT
    coalesce(sum(kind = 'request' AND direction = 'in' AND call = '' AND instr(data, ?) > 0 AND instr(data, ?) = 0), 0),
    coalesce(sum(direction = 'out' AND (
        kind = 'error' OR (kind = 'response' AND (instr(data, ?) > 0 OR instr(data, ?) > 0))
    )), 0)
FROM records WHERE seq > ? AND kind IN ('request', 'response', 'error')
"""
# With `min`, the other columns are those of the row that has the minimum (sqlite.org/lang_select.html, bare columns).
_CLIENTS = """
SELECT min(seq), data FROM records
WHERE seq > ? AND kind = 'request' AND direction = 'in' AND instr(data, ?) > 0
GROUP BY session ORDER BY seq LIMIT 100
"""
# Only the first of the calls are read: their names show what a capture is about.
_TOOLS = """
SELECT data FROM records
WHERE seq > ? AND kind = 'request' AND direction = 'in' AND call = '' AND instr(data, ?) > 0 AND instr(data, ?) = 0
ORDER BY seq LIMIT 1000
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a capture up to one of its records."""

    last_seq: int = 0
    calls: int = 0
    errors: int = 0  # Failed calls and error responses.
    clients: tuple[str, ...] = ()
    tools: tuple[tuple[str, int], ...] = ()  # The names of called tools, and how often; the most called first.


_known: dict[tuple[Path, str], Counts | None] = {}
"""The counts by path and start; None for a capture that is not counted again, since that failed, or took too long."""


def counts_of(
    path: Path, started: str, connection: sqlite3.Connection, last_seq: int, *, may_read: bool = True
) -> Counts | None:
    """Return the counts of a capture that is open; None if it is damaged, or counting takes too long.

    Without `may_read`, only a capture that has been counted before is read, from where it was read to.
    """
    before = _known.get((path, started), Counts())
    if before is None or before.last_seq == last_seq:
        return before
    if not may_read and not before.last_seq:
        return None
    if before.last_seq > last_seq:
        before = Counts()
    _known[path, started] = None
    try:
        with closing(connection.execute(_COUNTS, (_CALL, _RETRY, _FAILED, _FAILED_SPACED, before.last_seq))) as rows:
            calls, errors = rows.fetchone()
        with closing(connection.execute(_CLIENTS, (before.last_seq, b"clientInfo"))) as rows:
            clients = _clients(data for _, data in rows)
        with closing(connection.execute(_TOOLS, (before.last_seq, _CALL, _RETRY))) as rows:
            tools = _tools(dict(before.tools), (data for (data,) in rows))
    except sqlite3.DatabaseError:
        return None
    names = tuple(dict.fromkeys((*before.clients, *clients)))[:MAX_CLIENTS]
    counts = Counts(last_seq, before.calls + calls, before.errors + errors, names, tools)
    _known[path, started] = counts
    return counts


def _clients(requests: Iterable[Any]) -> list[str]:
    """Return the names of the clients that have sent these requests."""
    names = []
    for params in _params(requests):
        meta = params.get("_meta")
        info = meta.get(_CLIENT_INFO) if isinstance(meta, dict) else params.get("clientInfo")
        if isinstance(info, dict) and isinstance(info.get("name"), str):
            names.append(info["name"][:200])
    return names


def _tools(before: dict[str, int], calls: Iterable[Any]) -> tuple[tuple[str, int], ...]:
    """Return the names of the tools of calls, and how often each is called, with what was counted before."""
    counter = Counter(before)
    counter.update(name[:200] for params in _params(calls) if isinstance(name := params.get("name"), str))
    return tuple(counter.most_common(MAX_TOOLS))


def _params(requests: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of requests; those that cannot be read have none."""
    for data in requests:
        params: Any = None
        with suppress(ValueError, RecursionError, TypeError, AttributeError):
            params = json.loads(data).get("params")
        if isinstance(params, dict):
            yield params
