"""Tools that misbehave."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from server_core import Context, FatalToolError, ResourceNotFound, RetryableToolError, ToolExecutionError
from tests.conversations.workshop import Workshop


class Unreadable(Exception):
    """Its text ends the process, where it is read without care."""

    def __str__(self) -> str:
        raise SystemExit(3)

    __repr__ = __str__


class Careless(ToolExecutionError):
    """It does not call the constructor of its parent, and has fields of the wrong types."""

    kind = None  # type: ignore[assignment]
    status_code = "many"  # type: ignore[assignment]

    def __init__(self) -> None:
        pass


class Own(BaseException): ...


class Misbehaving(Workshop):
    """The workshop, and tools that fail in every way."""

    def __init__(self) -> None:
        super().__init__()
        for tool in (*RETURNING, *RAISING, halve, double, wander, hang, hang_on_a_thread, cancel_yourself):
            timeout = 0.05 if tool in (hang, hang_on_a_thread) else None
            self.app.tool(tool, timeout=timeout)
        self.app.resource("shop://goods/{name}")(goods)


def halve(number: float) -> float:
    """Halve a number."""
    return number / 2


def double(number: int) -> int:
    """Double a whole number."""
    return number * 2


def cycle() -> Any:
    """Return a list that holds itself."""
    made: list[Any] = []
    made.append(made)
    return made


def nest() -> Any:
    """Return lists in lists in lists."""
    made: list[Any] = []
    for _ in range(100_000):
        made = [made]
    return made


def give_a_lock() -> Any:
    """Return what has no form in JSON."""
    return threading.Lock()


def give_nan() -> float:
    """Return no number."""
    return float("nan")


def count_far() -> int:
    """Return more digits than Python writes."""
    return 10**5000


def mistype() -> int:
    """Return text where a number is declared."""
    return "seven"  # type: ignore[return-value]


def generate() -> Any:
    """Return a generator."""
    return (number for number in range(3))


def stream() -> Any:
    """Return an asynchronous generator."""

    async def numbers() -> AsyncIterator[int]:
        yield 1

    return numbers()


def forget_to_await() -> Any:
    """Return a coroutine."""
    return asyncio.sleep(0)


def flood() -> str:
    """Return 100 MB."""
    return "x" * 100_000_000


def flood_with_numbers() -> dict[str, str]:
    """Return as much, structured."""
    return {"numbers": "1" * 20_000_000}


RETURNING = (
    cycle, nest, give_a_lock, give_nan, count_far, mistype, generate, stream, forget_to_await, flood,
    flood_with_numbers,
)  # fmt: skip
"""What they return cannot be sent."""


def quit_at_once() -> None:
    """End the process."""
    sys.exit(3)


async def quit_on_the_loop() -> None:
    """End the process, from the loop."""
    sys.exit(3)


def interrupt() -> None:
    """Act as if the user had pressed Ctrl-C."""
    raise KeyboardInterrupt


async def interrupt_the_loop() -> None:
    """Do the same on the loop."""
    raise KeyboardInterrupt


def raise_a_base_exception() -> None:
    """Raise what `except Exception` does not catch."""
    raise Own("hunter2")


def raise_a_group() -> None:
    """Raise several at once."""
    raise BaseExceptionGroup("hunter2", [SystemExit(1), KeyboardInterrupt()])


def raise_unreadable() -> None:
    """Raise an exception whose text cannot be read."""
    raise Unreadable


def raise_careless() -> None:
    """Raise an error of ours that was made without care."""
    raise Careless


def raise_with_odd_facts() -> None:
    """Raise an error of ours with facts of the wrong types."""
    raise RetryableToolError(Unreadable(), Unreadable(), Unreadable(), "soon", {"a": Unreadable(), Unreadable(): 1})  # type: ignore[arg-type,dict-item]


def recurse() -> None:
    """Call itself for ever."""
    recurse()


async def recurse_on_the_loop() -> None:
    """Do the same on the loop."""
    await recurse_on_the_loop()


def stop_iterating() -> None:
    """Raise what a future cannot hold."""
    raise StopIteration


def crash() -> None:
    """Raise an exception with a secret in its text."""
    raise ValueError("hunter2 at https://user:hunter2@example.org/?token=hunter2")


def crash_from() -> None:
    """Raise an error of ours with another behind it."""
    try:
        crash()
    except ValueError as error:
        raise FatalToolError("It broke.", "hunter2") from error


def run_out() -> None:
    """Raise what Python does when there is no memory."""
    raise MemoryError


RAISING = (
    quit_at_once, quit_on_the_loop, interrupt, interrupt_the_loop, raise_a_base_exception, raise_a_group,
    raise_unreadable, raise_careless, raise_with_odd_facts, recurse, recurse_on_the_loop, stop_iterating, crash,
    crash_from, run_out,
)  # fmt: skip
"""They raise."""


def wander(folder: str) -> str:
    """Change the working directory and the environment of the process."""
    os.chdir(folder)
    os.environ.pop("HOME", None)
    os.environ["PATH"] = ""
    return os.getcwd()


async def hang() -> None:
    """Never return."""
    await asyncio.Event().wait()


def hang_on_a_thread(context: Context) -> None:
    """Wait until the call is cancelled."""
    while not context.cancelled:
        pass


async def cancel_yourself() -> None:
    """Cancel the task that runs this tool."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


def goods(name: str) -> str:
    """Have no goods."""
    raise ResourceNotFound(f"There is no {name} today.") if name == "cake" else ResourceNotFound


@cache
def misbehaving() -> Misbehaving:
    """Return the instance that all tests share."""
    return Misbehaving()
