"""Leave requests out of a replay: those before or after a number, and those that a filter does not match.

The handshake of a session is always replayed, since nothing can be sent without it.
"""

from collections.abc import Callable, Iterable

from server_core.errors import ConfigurationError
from server_core.records.tap import Record
from workbench.model.traffic.filter import Filter
from workbench.model.traffic.timeline import Timeline
from workbench.replay.recording import LeftOut, RecordedExchange, Recording, Sent


def select(
    recording: Recording,
    first: int | None,
    last: int | None,
    only: Filter | None,
    records: Callable[[], Iterable[Record]],
) -> None:
    """Mark the requests of a recording that are left out.

    Args:
        first: the number of the first request; None for that of the capture.
        last: the number of the last request; None for that of the capture.
        only: which requests are sent; None for all.
        records: returns the records of the capture, which the filter needs.

    Raises:
        ConfigurationError: when nothing is left.
    """
    test = None if only is None else _test(only, records)
    exchanges = [step.exchange for step in recording.steps if isinstance(step, Sent)]
    for exchange in exchanges:
        if exchange.method == "initialize":
            continue
        if first is not None and exchange.seq < first:
            exchange.skipped = LeftOut.BEFORE
        elif last is not None and exchange.seq > last:
            exchange.skipped = LeftOut.AFTER
        elif test is not None and not test(exchange):
            exchange.skipped = LeftOut.NO_MATCH
    if all(exchange.skipped for exchange in exchanges if exchange.method != "initialize"):
        raise ConfigurationError("No request of the capture is left to replay: see --from, --to and --only.")


def _test(only: Filter, records: Callable[[], Iterable[Record]]) -> Callable[[RecordedExchange], bool]:
    timeline = Timeline()
    timeline.extend(records())
    entries = {entry.seq: entry for entry in timeline}
    return lambda exchange: exchange.seq in entries and only(entries[exchange.seq])
