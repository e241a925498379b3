"""What a client program prints becomes cells, and cells become tables."""

import json

import pytest

from tests.interop import known, report
from tests.interop.behaviours import BEHAVIOURS
from tests.interop.cells import NOT_SHOWN, Cell, Outcome, cells_of
from tests.interop.known import FAULTS, Fault
from tests.interop.pairs import HANDSHAKE, HTTP, PAIRS, STATELESS, STDIO, Column, columns_of

PAIR = PAIRS[0]
COLUMN = Column(PAIR, STDIO, HANDSHAKE)
OTHER = Column(PAIR, HTTP, STATELESS)


def line(behaviour: str, outcome: str, reason: str = "") -> str:
    return json.dumps({"behaviour": behaviour, "outcome": outcome, "reason": reason})


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Fault:
    """The only known fault: of the first pair over stdio."""
    fault = Fault(PAIR.name, "prompts", "forgets prompts; server/prompts", transports=(STDIO,))
    monkeypatch.setattr(known, "FAULTS", (fault,))
    return fault


def test_the_output_of_a_client_decides_its_cells() -> None:
    lines = [line("begin", "ok"), line("task", "lacking", "It has none."), line("roots", "failed", "got 1, not 2")]
    cells = cells_of(COLUMN, lines, "")
    assert cells["begin"] == Cell(Outcome.OK)
    assert cells["task"] == Cell(Outcome.LACKING, "It has none.")
    assert cells["roots"] == Cell(Outcome.FAILED, "got 1, not 2")
    assert cells["sampling"] == Cell(Outcome.LACKING, NOT_SHOWN)
    assert cells.keys() == BEHAVIOURS.keys()


def test_a_behaviour_that_a_client_did_not_reach_has_failed() -> None:
    cells = cells_of(COLUMN, [line("begin", "ok")], "the client ended with 1: no such module")
    assert cells["begin"].outcome is Outcome.OK
    assert cells["roots"] == Cell(Outcome.FAILED, "the client ended with 1: no such module")


def test_a_known_fault_is_the_peers(fault: Fault) -> None:
    failed = [line("prompts", "failed", "got nothing")]
    assert cells_of(COLUMN, failed, "")["prompts"] == Cell(Outcome.THEIRS, fault.reason)
    assert cells_of(OTHER, failed, "")["prompts"] == Cell(Outcome.FAILED, "got nothing")


def test_a_known_fault_that_no_longer_occurs_is_an_error(fault: Fault) -> None:
    assert cells_of(COLUMN, [line("prompts", "ok")], "")["prompts"].outcome is Outcome.FAILED


def test_a_fault_that_depends_on_chance_reads_the_same_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "FAULTS", (Fault(PAIR.name, "prompts", "loses some", always=False),))
    outcomes = [cells_of(COLUMN, [line("prompts", outcome)], "")["prompts"] for outcome in ("ok", "failed")]
    assert outcomes == [Cell(Outcome.THEIRS, "loses some")] * 2


def test_every_known_fault_is_of_an_existing_pair_and_behaviour() -> None:
    assert {fault.pair for fault in FAULTS} <= {pair.name for pair in PAIRS}
    assert {fault.behaviour for fault in FAULTS} <= BEHAVIOURS.keys()


def test_a_reason_is_written_once_below_the_table_with_all_its_cells() -> None:
    reason = "It supports nothing newer."
    lines = [line(name, "lacking", reason) for name in ("begin", "roots", "task", "prompts")]
    columns = {COLUMN: cells_of(COLUMN, [line("begin", "ok")], ""), OTHER: cells_of(OTHER, lines, "")}
    assert report.notes(columns) == [f"HTTP stateless (-): {reason}"]
    assert report.shown(columns) == ["begin", "roots", "prompts", "task"]


def test_the_page_contains_only_outcomes_and_reasons() -> None:
    failed = [line("roots", "failed", "id 17, took 3.1 s")]
    columns = {COLUMN: cells_of(COLUMN, [line("begin", "ok")], "")}
    page = report.for_docs({PAIR: columns})
    assert page == report.for_docs({PAIR: columns})
    assert "| begin | ok |" in page
    assert "| mcp | " in page
    assert "id 17" in report.for_terminal(PAIR, {COLUMN: cells_of(COLUMN, failed, "")})


def test_no_pair_has_a_session_free_revision_over_http_and_sse() -> None:
    everything = next(pair for pair in PAIRS if pair.name == "everything")
    titles = [column.title for column in columns_of(everything)]
    assert "HTTP+SSE handshake" in titles
    assert "HTTP+SSE stateless" not in titles
