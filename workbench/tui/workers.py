"""Workers of the terminal: the tasks that wait for something on behalf of a widget."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from textual.dom import DOMNode

if TYPE_CHECKING:
    from textual.worker import Worker

T = TypeVar("T")


def start_worker(
    node: DOMNode, work: Callable[[], Coroutine[Any, Any, None]], group: str, *, exclusive: bool = True
) -> "Worker[None]":
    """Run a coroutine function, as a worker of a group, for as long as a node exists.

    A function, because a coroutine would never be awaited if the node were removed before its worker starts. An
    exclusive worker first cancels the others of its group.
    """
    return node.run_worker(work, group=group, exclusive=exclusive)


async def run_on_thread(work: Callable[[], T]) -> T:
    """Run a function that takes long on a thread, and return its result; for use in a worker."""
    return await asyncio.to_thread(work)
