"""Memory after 100,000 calls, and the memory and speed with 1,000 open sessions."""

from contextlib import closing

from benchmarks.calls import CONNECTIONS, WINDOW, home, messages
from benchmarks.calls.contenders import OFFICIAL_JSON, OURS, Contender, contenders
from benchmarks.calls.pipes import PipeClient
from benchmarks.calls.process import Process, pin_client
from benchmarks.calls.rounds import Batch, Measure, in_turns
from benchmarks.calls.sockets import HttpClient, free_port
from benchmarks.figures import Figure

WARM_UP, CALLS, AT_A_TIME = 60_000, 100_000, 20_000
"""Calls before the measurement, so that bounded buffers are full: records in memory, the cache of the capture."""
MAX_GROWTH_KB = 3 * 1024
"""A limit above the data that may be waiting for the disk; a test checks that calls leave nothing behind."""
SESSIONS = 1_000
MAX_KB_PER_SESSION = 50
MAX_TIMES_SLOWER = 1.1


def run() -> list[Figure]:
    """Measure memory from outside of the servers."""
    pin_client()
    by_name = {contender.name: contender for contender in contenders()}
    grown = [
        Figure(f"resident memory grown over {CALLS:,} calls, {era}", _growth(by_name[OURS], era), MAX_GROWTH_KB, "KB")
        for era in messages.ERAS
    ]
    size, slower = _sessions(by_name[OURS])
    their_size, their_slower = _sessions(by_name[OFFICIAL_JSON])
    return [
        *grown,
        Figure(f"resident memory for each of {SESSIONS:,} open sessions", size, MAX_KB_PER_SESSION, "KB"),
        Figure(f"the {OFFICIAL_JSON}'s", their_size, None, "KB"),
        Figure(f"time per call round {SESSIONS:,} sessions, to that in one", slower, MAX_TIMES_SLOWER, "x"),
        Figure(f"the {OFFICIAL_JSON}'s", their_slower, None, "x"),
    ]


def _growth(contender: Contender, era: str) -> float:
    """Return the growth of a server on stdio during many calls, in kilobytes."""
    assert contender.stdio is not None
    with (
        home() as environment,
        Process(contender.stdio, environment) as process,
        closing(PipeClient(process, era, WINDOW)) as client,
    ):
        for _ in range(WARM_UP // AT_A_TIME):
            client.pipelined(AT_A_TIME)
        before = process.resident_kb()
        for _ in range(CALLS // AT_A_TIME):
            client.pipelined(AT_A_TIME)
        return process.resident_kb() - before


def _sessions(contender: Contender) -> tuple[float, float]:
    """Return the kilobytes for each open session, and the slowdown of a call when there are many."""
    assert contender.http is not None
    port = free_port()
    with (
        home() as environment,
        # A session is already open.
        Process(contender.http(port), {**environment, "WORKBENCH_MAX_SESSIONS": str(SESSIONS + 1)}) as process,
        closing(HttpClient(process, port, messages.SESSIONS, CONNECTIONS)) as client,
    ):
        single = Measure.sized(process, client.calls)
        client.calls(2 * single.count)
        before = process.resident_kb()
        first = client.sessions
        client.open_sessions(SESSIONS)
        size = (process.resident_kb() - before) / SESSIONS
        every = client.sessions

        def calls_in(sessions: list[str]) -> Measure:
            def work(count: int) -> Batch:
                client.sessions = sessions
                return client.calls(count)

            return Measure(process, work, single.count)

        costs = in_turns({"single": calls_in(first), "many": calls_in(every)})
        return size, costs["single"].times_faster(costs["many"])
