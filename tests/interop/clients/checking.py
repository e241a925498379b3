"""Try behaviours in order, and print the outcomes: a JSON object a line.

Rule 1: each behaviour has a timeout. A behaviour that fails leaves its session in an unknown state, so that the
next gets a new session.
Rule 2: `Lacking` means that either side lacks the feature; any other exception is a failure.

Needs Python alone: it runs in the environments of others.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Generic, TypeVar

CHECK_SECONDS = 20.0
OPEN_SECONDS = 40.0
"""A new interpreter starts slowly on a busy machine."""
LONGEST_REASON = 400

C = TypeVar("C")
Check = Callable[[C], Awaitable[None]]


class Lacking(Exception):
    """Either side lacks the feature; the message names it."""


class Refused(Exception):
    """The other side answered with a JSON-RPC error.

    Args:
        code: of the error.
        message: of the error.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"error {code}: {message}")
        self.code = code
        self.message = message


class Checks(Generic[C]):
    """The behaviours, in the order of their definitions: a decorator for functions of a client."""

    def __init__(self) -> None:
        self._by_name: dict[str, Check[C]] = {}

    def __call__(self, behaviour: str) -> Callable[[Check[C]], Check[C]]:
        """Declare what tries a behaviour."""

        def declare(check: Check[C]) -> Check[C]:
            self._by_name[behaviour] = check
            return check

        return declare

    async def run(self, connect: Callable[[], AbstractAsyncContextManager[C]]) -> None:
        """Try everything, and print how it went.

        Args:
            connect: begins a session.
        """
        left = list(self._by_name.items())
        while left:
            async with AsyncExitStack() as stack:
                try:
                    async with asyncio.timeout(OPEN_SECONDS):
                        client = await stack.enter_async_context(connect())
                except Exception as error:
                    for name, _ in left:
                        write_outcome(name, error)
                    return
                while left:
                    name, check = left.pop(0)
                    if not await tried(name, check, client):
                        break


async def tried(name: str, check: Check[C], client: C) -> bool:
    """Try a behaviour; False when it failed."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            await check(client)
    except Exception as error:
        write_outcome(name, error)
        return isinstance(error, Lacking)
    write_outcome(name, None)
    return True


def write_outcome(behaviour: str, error: Exception | None) -> None:
    """Print how a behaviour went."""
    outcome = "ok" if error is None else "lacking" if isinstance(error, Lacking) else "failed"
    line = {"behaviour": behaviour, "outcome": outcome, "reason": "" if error is None else reason_of(error)}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def reason_of(error: BaseException) -> str:
    """Describe a failure, on a single line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    words = " ".join(str(error).split())
    if not isinstance(error, Lacking | Refused | AssertionError):
        words = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return words[:LONGEST_REASON] or "an assertion failed"


def expect(value: object, wanted: object) -> None:
    """Fail unless the two are equal."""
    assert value == wanted, f"got {value!r}, not {wanted!r}"


async def until(predicate: Callable[[], object]) -> None:
    """Return when the predicate holds; the behaviour's time bounds it."""
    while not predicate():
        await asyncio.sleep(0.01)
