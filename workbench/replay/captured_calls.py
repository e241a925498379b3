"""The calls of clients in a capture, with little memory for each, to compare them with those of another capture.

What was sent and answered is read once and only represented by digests; `answer_of` reads an answer again. So a capture
of half a gigabyte can be compared beside a terminal that is in use.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import ErrorResponse, Response
from workbench.model.describe import arguments_line
from workbench.model.run_difference import structured_result
from workbench.replay.recording import Answered, RecordedExchange, Recording, Sent, answer_body
from workbench.replay.recording_reader import CaptureReader
from workbench.replay.run_values import STATE, TASK_ID, without_handles, without_hints

if TYPE_CHECKING:
    from server_core.records.capture.reader import Capture

CALLS = frozenset({"tools/call", "resources/read", "prompts/get", "completion/complete"})
"""The methods of calls; all others are what a client does by itself."""
PAUSE_AFTER = 50
"""After so many records, a reader may pause or stop."""
_ARGUMENTS_LIMIT = 200  # Characters.
_GENERATED = frozenset({"_meta", STATE, TASK_ID})  # Members of params that differ from run to run.

Stopped = Callable[[], bool]
"""Called after every :data:`PAUSE_AFTER` records; True ends the reading."""


@dataclass(frozen=True, slots=True)
class CapturedCall:
    """A request of a client in a capture."""

    seq: int
    method: str
    name: str  # the tool, prompt or resource
    arguments: str  # for people, shortened
    key: bytes  # a digest of the method and the params; equal calls have equal keys
    time: float  # when it was sent, in seconds since the epoch
    seconds: float | None = None  # until its answer, without a hold; None without an answer
    answer_seq: int = 0  # the record of its answer; 0 without an answer
    digest: bytes = b""  # of its answer

    def to_json(self) -> dict[str, Any]:
        """Return where and when it was made, as a JSON value."""
        return {"seq": self.seq, "time": self.time, "seconds": self.seconds}

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.name or self.method, self.arguments)))


@dataclass
class CapturedCalls:
    """The calls of a capture, in their order."""

    path: Path
    calls: list[CapturedCall] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what is missing, for the user


def read_calls(path: Path, *, has_all: bool = False, stopped: Stopped = lambda: False) -> CapturedCalls:
    """Return the calls in a capture; ConfigurationError if it cannot be read.

    Args:
        has_all: whether requests that a client makes by itself, such as `tools/list`, are included.
    """
    from server_core.records.capture.reader import open_capture

    with open_capture(path) as capture:
        recording = Recording(path)
        captured = CapturedCalls(path, list(_calls(recording, capture, has_all, stopped)))
        captured.calls.sort(key=lambda call: call.seq)
        captured.notes += [*recording.notes, *([capture.damage] if capture.damage else [])]
    return captured


def answer_of(capture: "Capture", call: CapturedCall) -> dict[str, Any]:
    """Return the answer to a call as it is compared, read from its capture; empty without an answer."""
    records = capture.get([call.answer_seq]) if call.answer_seq else []
    message = jsonrpc.parse(records[0].data) if records else None
    return _comparable(message) if isinstance(message, Response | ErrorResponse) else {}


def _calls(recording: Recording, capture: "Capture", has_all: bool, stopped: Stopped) -> Iterator[CapturedCall]:
    reader = CaptureReader(recording)
    waiting: dict[int, RecordedExchange] = {}
    for count, record in enumerate(capture.records()):
        if count % PAUSE_AFTER == 0 and stopped():
            return
        reader.read(record)
        for step in recording.steps:
            if isinstance(step, Sent) and (has_all or step.exchange.method in CALLS):
                waiting[step.exchange.seq] = step.exchange
            elif isinstance(step, Answered):
                if waiting.pop(step.exchange.seq, None) is not None:
                    yield _call(step.exchange)
                # What was sent and answered is not needed any more.
                step.exchange.params, step.exchange.answer = {}, None
        recording.steps.clear()
        recording.questions.clear()
    yield from map(_call, waiting.values())


def _call(exchange: RecordedExchange) -> CapturedCall:
    params = {name: value for name, value in exchange.params.items() if name not in _GENERATED}
    arguments = params.get("arguments")
    call = CapturedCall(
        exchange.seq,
        exchange.method,
        exchange.name,
        arguments_line(arguments, {}, _ARGUMENTS_LIMIT) if isinstance(arguments, dict) else "",
        _digest([exchange.method, params]),
        exchange.time,
    )
    if exchange.answer is None:
        return call
    return CapturedCall(
        call.seq,
        call.method,
        call.name,
        call.arguments,
        call.key,
        call.time,
        exchange.seconds,
        exchange.answer_seq,
        _digest(_comparable(exchange.answer)),
    )


def _comparable(answer: Response | ErrorResponse) -> dict[str, Any]:
    """Return an answer without what is generated each time, or exists in one era only; JSON in texts as values."""
    body = without_hints(without_handles(answer_body(answer)))
    result = body.get("result")
    return {"result": structured_result(result)} if isinstance(result, dict) else body


def _digest(value: Any) -> bytes:
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=16).digest()
