"""The one bound of every wait in the tests."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

LIMIT = 5.0
"""Seconds after which a wait has failed."""

T = TypeVar("T")


async def within(awaitable: Awaitable[T]) -> T:
    """Return what the awaitable gives, and fail when it takes longer than the limit."""
    async with asyncio.timeout(LIMIT):
        return await awaitable


async def until(holds: Callable[[], object]) -> None:
    """Wait, turn by turn of the event loop, until the predicate holds, and fail after the limit."""
    async with asyncio.timeout(LIMIT):
        while not holds():
            await asyncio.sleep(0.005)
