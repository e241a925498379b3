"""A recorded conversation: the messages of the clients, in order, and the answers to them."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from server_core.protocol.envelope import is_stateless
from server_core.protocol.jsonrpc import ErrorResponse, Params, Response
from workbench.replay.differences import MASK


class LeftOut(StrEnum):
    """Why a request is not replayed that could be: its user wants that."""

    SKIPPED = "you have skipped it"
    BEFORE = "it is before --from"
    AFTER = "it is after --to"
    NO_MATCH = "it does not match --only"
    ENDED = "the replay was ended before it"


# The param that names the subject of a request, by method.
_NAMES = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "resources/subscribe": "uri",
    "resources/unsubscribe": "uri",
}


@dataclass(eq=False)
class RecordedExchange:
    """A request and its answer."""

    seq: int  # of the request's record
    session: str
    method: str
    params: Params  # as sent, with secrets masked
    answer: Response | ErrorResponse | None = None
    cancelled: bool = False  # before it was answered
    skipped: str = ""  # why the user has left it out of the replay; empty if it is sent
    is_changed: bool = False  # whether the user has changed its params for the replay
    answered_by_hand: bool = False  # while it was held: the server did not get it
    # for a request of the server, the client request that caused it, where that is known
    cause: "RecordedExchange | None" = None
    # the requests of the server that this request caused
    questions: "list[RecordedExchange]" = field(default_factory=list)
    time: float = 0.0  # when it was sent, in seconds since the epoch
    answer_seq: int = 0  # of the record of its answer; 0 without an answer
    seconds: float = 0.0  # until its answer, without the time for which it was held

    @property
    def name(self) -> str:
        """The tool, prompt or resource in the request; empty for none."""
        return str(self.params.get(_NAMES.get(self.method, ""), ""))

    @property
    def title(self) -> str:
        """Its number, method and subject: `#8 tools/call greet`."""
        return " ".join(filter(None, (f"#{self.seq}", self.method, self.name)))

    @property
    def shown_params(self) -> Params:
        """The params without what the protocol adds to each request."""
        return {name: value for name, value in self.params.items() if name != "_meta"}

    def skip(self) -> None:
        """Leave it out, as its user wants."""
        self.skipped = LeftOut.SKIPPED

    def change(self, params: Params) -> None:
        """Send other params; `_meta` stays if it is not among them."""
        meta = {"_meta": self.params["_meta"]} if "_meta" in self.params else {}
        self.params, self.is_changed, self.skipped = meta | params, True, ""

    @property
    def stateless(self) -> bool:
        return is_stateless(self.params)

    @property
    def is_round(self) -> bool:
        """Whether it is a retry with input responses, or was answered with a request for input itself."""
        asked = isinstance(self.answer, Response) and self.answer.result.get("resultType") == "input_required"
        return asked or "inputResponses" in self.params or "requestState" in self.params

    @property
    def body(self) -> dict[str, Any]:
        """The members of the answer that are compared."""
        return answer_body(self.answer)

    @property
    def obstacle(self) -> str:
        """Why it is not replayed; empty when it is."""
        if self.skipped:
            return self.skipped
        if self.method == "subscriptions/listen":
            return "it is a subscription"
        if self.cancelled:
            return "it was cancelled at a time that cannot be reproduced"
        if self.answered_by_hand:
            return "it was answered by hand while it was held"
        if self.answer is None:
            return "it has no response"
        return secret_in(self.params) or next(
            (reason for question in self.questions if (reason := question.unanswerable)), ""
        )

    @property
    def unanswerable(self) -> str:
        """Why the recorded answer to a server request cannot be sent again; empty when it can."""
        if self.answer is None:
            return f"its {self.method} has no response"
        return secret_in(self.answer.result) if isinstance(self.answer, Response) else ""


@dataclass(frozen=True)
class Sent:
    """A client sent a request."""

    exchange: RecordedExchange


@dataclass(frozen=True)
class Answered:
    """The answer to a client request was received."""

    exchange: RecordedExchange


@dataclass(frozen=True)
class SentNotification:
    """A client sent a notification."""

    session: str
    method: str
    params: Params


@dataclass(frozen=True)
class SessionEnded:
    """A session ended."""

    session: str


Step: TypeAlias = Sent | Answered | SentNotification | SessionEnded


@dataclass
class Recording:
    """A conversation."""

    path: Path
    steps: list[Step] = field(default_factory=list)
    # the requests of the server, by session, in order
    questions: dict[str, list[RecordedExchange]] = field(default_factory=dict)
    served: str = ""  # the name of the recorded server or project
    notes: list[str] = field(default_factory=list)  # parts of the capture that are not in the steps, and the reasons

    @property
    def project(self) -> Path | None:
        """The folder or file of tools that was served, if it still exists."""
        path = Path(self.served)
        return path if self.served and path.is_absolute() and path.exists() else None


def answer_body(answer: Response | ErrorResponse | None) -> dict[str, Any]:
    """Return the members of an answer that are compared."""
    if isinstance(answer, Response):
        return {"result": answer.result}
    if answer is None:
        return {}
    body = {"code": answer.code, "message": answer.message}
    return {"error": body if answer.data is None else body | {"data": answer.data}}


def secret_in(value: Any) -> str:
    """Return why a value with a masked secret cannot be sent again; empty when it contains none."""
    masked = MASK.search(json.dumps(value, ensure_ascii=False))
    return f"it contains the secret {masked.group(1)}, which captures do not store" if masked else ""
