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
    """Run a coroutine function for as long as a node exists.

    A function, because a coroutine would never be awaited if the node were removed before its worker starts.

    Args:
        node: the widget, screen or app whose removal cancels the worker.
        work: the function to run.
        group: the name of the workers that belong together.
        exclusive: cancel the other workers of the group first.

    Returns:
        The worker.
    """
    return node.run_worker(work, group=group, exclusive=exclusive)


async def run_on_thread(work: Callable[[], T]) -> T:
    """Run a function that takes long on a thread, and return its result; for use in a worker."""
    return await asyncio.to_thread(work)
