"""Compare two JSON values: yield the JSON paths where they differ, ignoring values that change on every run.

Times and ids in `_meta`, and the id of an elicitation, are ignored. Where a secret was masked in the recorded value,
any text matches.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MASK = re.compile(r"<secret ([^<>]+)>")  # The placeholder for a masked secret in a capture.

_VOLATILE = frozenset({"time", "timestamp", "date", "duration", "elapsed", "latency", "token", "id", "uuid"})
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ID_OF_QUESTION = "elicitationId"
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*")


class MissingMember:
    """Stands for a value that one side does not have."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = MissingMember()


@dataclass(frozen=True)
class ValueDifference:
    """One place where two values differ; a value is ABSENT where one side has none."""

    path: str  # a JSON path
    recorded: Any
    replayed: Any

    def to_json(self) -> dict[str, Any]:
        """Return the difference as a JSON value; an absent value is left out."""
        sides = {"recorded": self.recorded, "replayed": self.replayed}
        return {"path": self.path} | {side: value for side, value in sides.items() if value is not ABSENT}


def differences(recorded: Any, replayed: Any, path: str = "$", *, in_meta: bool = False) -> Iterator[ValueDifference]:
    """Yield the places where two JSON values differ, in document order; `path` is that of both values."""
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        yield from _in_objects(recorded, replayed, path, in_meta)
    elif isinstance(recorded, list) and isinstance(replayed, list):
        for index in range(max(len(recorded), len(replayed))):
            old = recorded[index] if index < len(recorded) else ABSENT
            new = replayed[index] if index < len(replayed) else ABSENT
            yield from differences(old, new, f"{path}[{index}]", in_meta=in_meta)
    elif not _is_same(recorded, replayed):
        yield ValueDifference(path, recorded, replayed)


def _in_objects(
    recorded: dict[str, Any], replayed: dict[str, Any], path: str, in_meta: bool
) -> Iterator[ValueDifference]:
    for key in recorded | replayed:
        if key == _ID_OF_QUESTION or (in_meta and _is_volatile(key)):
            continue
        step = f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"
        old, new = recorded.get(key, ABSENT), replayed.get(key, ABSENT)
        yield from differences(old, new, path + step, in_meta=in_meta or key == "_meta")


def _is_volatile(key: str) -> bool:
    # "traceId", "started_time" and "io.example/request-id" name values that are new each time; "valid" and "update" do
    # not.
    words = _WORDS.findall(key)
    return bool(words) and words[-1].lower() in _VOLATILE


def _is_same(recorded: Any, replayed: Any) -> bool:
    # JSON distinguishes True from 1, but not 1 from 1.0.
    if isinstance(recorded, bool) is not isinstance(replayed, bool):
        return False
    if isinstance(recorded, str) and isinstance(replayed, str) and MASK.search(recorded):
        parts = MASK.split(recorded)[::2]
        return re.fullmatch(".*".join(map(re.escape, parts)), replayed, re.DOTALL) is not None
    return bool(recorded == replayed)
