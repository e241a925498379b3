"""The cost of a `tools/call` in both eras of the protocol, compared to the official SDK and fastmcp.

Each server runs on a separate processor, and the client on another. The servers alternate in each round, so the ratios
are of the same moment. Processor time is of the whole server process; the cost of the bare transport in the same
round is the part that our code cannot save.
"""

import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager

from benchmarks.calls import messages
from benchmarks.calls.contenders import BARE, OFFICIAL, OFFICIAL_JSON, OURS, OURS_BARE, contenders
from benchmarks.calls.pipes import PipeClient
from benchmarks.calls.process import Process, pin_client
from benchmarks.calls.rounds import Costs, Measure, in_turns
from benchmarks.calls.sockets import HttpClient, free_port
from benchmarks.figures import Comparison, Figure

WINDOW = 64
CONNECTIONS = 32
STDIO_TIMES_FASTER = 25
HTTP_TIMES_FASTER = 8
MAX_ABOVE_BARE_US = 25


def run() -> list[Figure | Comparison]:
    """Measure every contender on every transport in both eras."""
    pin_client()
    figures: list[Figure | Comparison] = []
    for era in messages.ERAS:
        with _on_stdio(era) as clients:
            title = f"stdio, {WINDOW} in flight, {era}"
            pipelined = {name: Measure.sized(process, client.pipelined) for name, (process, client) in clients.items()}
            figures += _figures(title, _costs(title, pipelined), OFFICIAL, STDIO_TIMES_FASTER)
            sequential = {
                name: Measure.sized(process, client.sequential) for name, (process, client) in clients.items()
            }
            title = f"stdio, one by one, {era}"
            figures.append(_compared(title, _costs(title, sequential)))
    for era in messages.ERAS:
        with _over_http(era) as measures:
            title = f"HTTP, {CONNECTIONS} connections, {era}"
            figures += _figures(title, _costs(title, measures), OFFICIAL_JSON, HTTP_TIMES_FASTER)
    return figures


@contextmanager
def home() -> Iterator[dict[str, str]]:
    """Store the data of our server in a separate folder; yield the environment that sets it."""
    with tempfile.TemporaryDirectory(prefix="wb-", ignore_cleanup_errors=True) as folder:
        yield {"WORKBENCH_HOME": folder, "WORKBENCH_RUNTIME": folder}


@contextmanager
def _on_stdio(era: str) -> Iterator[dict[str, tuple[Process, PipeClient]]]:
    with ExitStack() as stack:
        environment = stack.enter_context(home())
        clients = {}
        for contender in contenders():
            if contender.stdio is not None:
                process = stack.enter_context(Process(contender.stdio, environment))
                clients[contender.name] = process, stack.enter_context(closing(PipeClient(process, era, WINDOW)))
        yield clients


@contextmanager
def _over_http(era: str) -> Iterator[dict[str, Measure]]:
    with ExitStack() as stack:
        environment = stack.enter_context(home())
        measures = {}
        for contender in contenders():
            if contender.http is not None:
                port = free_port()
                process = stack.enter_context(Process(contender.http(port), environment))
                client = stack.enter_context(closing(HttpClient(process, port, era, CONNECTIONS)))
                measures[contender.name] = Measure.sized(process, client.calls)
        yield measures


def _costs(title: str, measures: Mapping[str, Measure]) -> dict[str, Costs]:
    print(f"  {title} ...", file=sys.stderr)
    return in_turns(measures)


def _figures(title: str, costs: dict[str, Costs], peer: str, times_faster: float) -> Iterator[Figure | Comparison]:
    for name in (OURS, OURS_BARE):
        times, above = costs[name].times_faster(costs[peer]), costs[name].cpu_above(costs[BARE])
        yield Figure(f"{title}: calls/s of {name} to the {peer}'s", times, None, "x", goal=times_faster)
        yield Figure(f"{title}: CPU per call of {name} above the {BARE}'s", above, MAX_ABOVE_BARE_US, "us")
    yield _compared(title, costs)


def _compared(title: str, costs: dict[str, Costs]) -> Comparison:
    ours = costs[OURS]
    rows = [
        (name, [cost.per_second, cost.cpu_us, cost.latency_us, ours.times_faster(cost), ours.times_less_cpu(cost)])
        for name, cost in costs.items()
    ]
    return Comparison(title, ["calls/s", "CPU us/call", "p50 us", "ours is faster, x", "ours needs less CPU, x"], rows)
