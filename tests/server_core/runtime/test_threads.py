"""The threads for plain functions: bounded, with the caller's context, and never in the way."""

import asyncio
import contextvars
import threading
import weakref
from pathlib import Path

import pytest

from server_core.catalog.identity import Identity
from server_core.loading.file_source import FileSource
from server_core.loading.project import Project
from server_core.records.tap import Tap
from server_core.runtime.threads import Threads, limit_shared_threads, shared_threads
from server_core.serving.tool_backend import ToolBackend
from server_core.settings import Settings
from tests.waiting import until, within


async def test_a_function_runs_on_another_thread_with_the_callers_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")
    variable.set("mine")
    thread, value = await Threads(1).run(lambda: (threading.current_thread(), variable.get()))
    assert thread is not threading.main_thread()
    assert thread.daemon
    assert value == "mine"


async def test_no_more_run_at_once_than_there_may_be() -> None:
    threads = Threads(2)
    running, most = 0, 0
    lock, gate = threading.Lock(), threading.Event()

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait()
        with lock:
            running -= 1

    tasks = [asyncio.get_running_loop().create_task(threads.run(work)) for _ in range(5)]
    await until(lambda: running == 2)
    gate.set()
    await within(asyncio.gather(*tasks))
    assert most == 2


async def test_a_thread_that_is_idle_serves_again() -> None:
    threads = Threads(8)
    await threads.run(threading.get_ident)
    await until(lambda: threads._idle._value == 1)
    before = threading.active_count()
    await threads.run(threading.get_ident)
    assert threading.active_count() == before


async def test_threads_end_with_the_set_that_they_belong_to() -> None:
    threads = Threads(2)
    thread = await threads.run(threading.current_thread)
    del threads
    await until(lambda: not thread.is_alive())


async def test_released_threads_end_after_their_work_and_others_start() -> None:
    threads = Threads(1)
    gate = threading.Event()
    at_work = asyncio.get_running_loop().create_task(threads.run(lambda: (gate.wait(), threading.current_thread())))
    await asyncio.sleep(0)
    threads.end()
    other = await within(threads.run(threading.current_thread))
    gate.set()
    _, thread = await within(at_work)
    assert thread is not other
    await until(lambda: not thread.is_alive())
    assert other.is_alive()


async def test_an_idle_thread_keeps_nothing_that_it_has_returned() -> None:
    class Big:
        pass

    threads = Threads(1)
    big = weakref.ref(await threads.run(Big))
    await until(lambda: big() is None)


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), KeyboardInterrupt()])
async def test_an_exception_of_the_function_is_raised_to_the_caller(error: BaseException) -> None:
    def work() -> None:
        raise error

    with pytest.raises(type(error)):
        await Threads(1).run(work)


@pytest.mark.parametrize("error", [StopIteration(1), GeneratorExit()])
async def test_exceptions_that_would_break_a_coroutine_are_wrapped(error: BaseException) -> None:
    def work() -> None:
        raise error

    with pytest.raises((RuntimeError, GeneratorExit)):
        await within(Threads(1).run(work))


async def test_a_job_whose_caller_left_before_its_turn_is_not_started() -> None:
    threads = Threads(1)
    gate = threading.Event()
    ran: list[str] = []
    first = asyncio.get_running_loop().create_task(threads.run(gate.wait))
    await asyncio.sleep(0)
    second = asyncio.get_running_loop().create_task(threads.run(lambda: ran.append("second")))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    gate.set()
    await within(first)
    await within(threads.run(lambda: ran.append("third")))
    assert ran == ["third"]


def test_there_is_one_set_of_threads_for_all() -> None:
    assert shared_threads() is shared_threads()


async def test_the_settings_limit_the_functions_on_the_shared_threads() -> None:
    before = shared_threads().limit
    try:
        ToolBackend(
            Tap(),
            Settings(thread_count=7),
            title="x",
            identity=Identity("x", "1"),
            folder=Path(),
            open_project=lambda: Project(FileSource(Path())),
        )
        assert shared_threads().limit == 7
    finally:
        limit_shared_threads(before)
