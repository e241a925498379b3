"""Tasks that run at once, up to where they first have to wait."""

import asyncio
import contextvars
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from server_core.runtime.background import eager_task
from tests.waiting import within

variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="outside")


async def test_a_coroutine_that_never_waits_is_done_at_once() -> None:
    async def work() -> int:
        return 7

    task = eager_task(work(), "work")
    assert task.done()
    assert task.result() == 7
    assert task.get_name() == "work"


async def test_a_waiting_coroutine_continues_when_it_may() -> None:
    steps = []
    may_go_on = asyncio.Event()

    async def work() -> None:
        steps.append("begun")
        await may_go_on.wait()
        steps.append("continued")

    task = eager_task(work(), "work")
    assert steps == ["begun"]
    may_go_on.set()
    await within(task)
    assert steps == ["begun", "continued"]


async def test_the_task_is_the_current_task_while_it_runs_and_its_starter_afterwards() -> None:
    seen = []

    async def work() -> None:
        seen.append(asyncio.current_task())
        await asyncio.sleep(0)
        seen.append(asyncio.current_task())

    starter = asyncio.current_task()
    task = eager_task(work(), "work")
    assert asyncio.current_task() is starter
    await within(task)
    assert seen == [task, task]


async def test_a_task_can_be_started_by_a_callback_that_is_no_task() -> None:
    seen: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def work() -> asyncio.Task[Any] | None:
        return asyncio.current_task()

    def callback() -> None:
        task = eager_task(work(), "work")
        seen.set_result((task, task.result(), asyncio.current_task()))

    asyncio.get_running_loop().call_soon(callback)
    task, inside, behind = await within(seen)
    assert inside is task
    assert behind is None


async def test_timeouts_work_in_the_first_step() -> None:
    async def with_asyncio() -> str:
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            return "over"
        return "not over"

    async def with_anyio() -> bool:
        with anyio.move_on_after(0) as scope:
            await anyio.sleep_forever()
        return scope.cancelled_caught

    assert await within(eager_task(with_asyncio(), "asyncio")) == "over"
    assert await within(eager_task(with_anyio(), "anyio"))


async def test_context_variables_that_it_sets_are_not_visible_outside() -> None:
    async def work() -> str:
        before = variable.get()
        variable.set("inside")
        await asyncio.sleep(0)
        return f"{before}, {variable.get()}"

    task = eager_task(work(), "work")
    assert variable.get() == "outside"
    assert await within(task) == "outside, inside"


async def test_an_exception_stays_in_the_task() -> None:
    async def work() -> None:
        raise LookupError("gone")

    task = eager_task(work(), "work")
    with pytest.raises(LookupError, match="gone"):
        task.result()


async def test_a_task_that_waits_can_be_cancelled() -> None:
    async def work() -> None:
        await asyncio.Event().wait()

    task = eager_task(work(), "work")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await within(task)


async def test_a_task_can_start_another_one() -> None:
    async def inner() -> asyncio.Task[Any] | None:
        return asyncio.current_task()

    async def outer() -> bool:
        task = eager_task(inner(), "inner")
        return task.result() is task and asyncio.current_task() is not task

    assert eager_task(outer(), "outer").result()


async def test_other_callbacks_of_the_loop_run_in_order() -> None:
    done: list[str] = []

    async def work() -> None:
        done.append("work")

    loop = asyncio.get_running_loop()
    loop.call_soon(done.append, "first")
    eager_task(work(), "work")
    loop.call_soon(done.append, "second")
    await asyncio.sleep(0)
    assert done == ["work", "first", "second"]


class BusyLoop(asyncio.SelectorEventLoop):
    """A loop in which another callback is appended after each, as another thread might do."""

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Any = None) -> asyncio.Handle:
        handle = super().call_soon(callback, *args, context=context)
        super().call_soon(int)
        return handle


def test_a_task_whose_first_step_is_not_found_runs_in_its_turn() -> None:
    async def work() -> str:
        return "done"

    async def main() -> str:
        return await within(eager_task(work(), "work"))

    with asyncio.Runner(loop_factory=BusyLoop) as runner:
        assert runner.run(main()) == "done"
