"""Behaviours are tried in order, whatever they do."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.interop.clients import checking
from tests.interop.clients.checking import Checks, Lacking, Refused, expect

Outcomes = list[tuple[str, str, str]]


class Sessions:
    """Begins sessions, which are numbers, and counts them."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[int]:
        self.begun += 1
        yield self.begun
        self.ended += 1


async def outcomes(checks: Checks[int], sessions: Sessions, capsys: pytest.CaptureFixture[str]) -> Outcomes:
    """Run the checks, and return what was printed."""
    await checks.run(sessions.connect)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [(line["behaviour"], line["outcome"], line["reason"]) for line in lines]


async def test_behaviours_are_tried_on_a_single_session_while_none_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checks: Checks[int] = Checks()

    @checks("first")
    async def first(session: int) -> None:
        expect(session, 1)

    @checks("second")
    async def second(session: int) -> None:
        raise Lacking("It has none.")

    @checks("third")
    async def third(session: int) -> None:
        expect(session, 1)

    sessions = Sessions()
    assert await outcomes(checks, sessions, capsys) == [
        ("first", "ok", ""),
        ("second", "lacking", "It has none."),
        ("third", "ok", ""),
    ]
    assert (sessions.begun, sessions.ended) == (1, 1)


async def test_a_failure_has_a_reason_and_the_next_behaviour_a_new_session(capsys: pytest.CaptureFixture[str]) -> None:
    checks: Checks[int] = Checks()

    @checks("wrong")
    async def wrong(session: int) -> None:
        expect("tea", "coffee")

    @checks("refused")
    async def refused(session: int) -> None:
        raise Refused(-32602, "no such tool")

    @checks("broken")
    async def broken(session: int) -> None:
        raise ExceptionGroup("several", [KeyError("name"), ValueError("later")])

    @checks("last")
    async def last(session: int) -> None:
        expect(session, 4)

    assert await outcomes(checks, Sessions(), capsys) == [
        ("wrong", "failed", "got 'tea', not 'coffee'"),
        ("refused", "failed", "error -32602: no such tool"),
        ("broken", "failed", "KeyError: 'name'"),
        ("last", "ok", ""),
    ]


async def test_a_behaviour_that_does_not_end_is_cancelled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "CHECK_SECONDS", 0)
    checks: Checks[int] = Checks()

    @checks("endless")
    async def endless(session: int) -> None:
        await asyncio.Event().wait()

    assert await outcomes(checks, Sessions(), capsys) == [("endless", "failed", "TimeoutError")]


@pytest.mark.parametrize(("error", "outcome"), [(Lacking("no"), "lacking"), (ConnectionError("no"), "failed")])
async def test_without_a_session_every_behaviour_has_the_outcome_of_the_handshake(
    error: Exception, outcome: str, capsys: pytest.CaptureFixture[str]
) -> None:
    checks: Checks[int] = Checks()
    for name in ("first", "second"):
        checks(name)(lambda session: asyncio.sleep(0))

    @asynccontextmanager
    async def refusing() -> AsyncIterator[int]:
        raise error
        yield 0

    await checks.run(refusing)
    assert [json.loads(line)["outcome"] for line in capsys.readouterr().out.splitlines()] == [outcome] * 2
