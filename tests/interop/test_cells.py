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
    """The one fault that is known: of the first pair over stdio."""
    fault = Fault(PAIR.name, "prompts", "forgets prompts; server/prompts", transports=(STDIO,))
    monkeypatch.setattr(known, "FAULTS", (fault,))
    return fault


def test_what_a_client_says_is_what_the_cell_says() -> None:
    said = [line("begin", "ok"), line("task", "lacking", "It has none."), line("roots", "failed", "got 1, not 2")]
    found = cells_of(COLUMN, said, "")
    assert found["begin"] == Cell(Outcome.OK)
    assert found["task"] == Cell(Outcome.LACKING, "It has none.")
    assert found["roots"] == Cell(Outcome.FAILED, "got 1, not 2")
    assert found["sampling"] == Cell(Outcome.LACKING, NOT_SHOWN)
    assert found.keys() == BEHAVIOURS.keys()


def test_what_a_client_did_not_come_to_has_failed() -> None:
    found = cells_of(COLUMN, [line("begin", "ok")], "the client ended with 1: no such module")
    assert found["begin"].outcome is Outcome.OK
    assert found["roots"] == Cell(Outcome.FAILED, "the client ended with 1: no such module")


def test_a_known_fault_is_the_peers(fault: Fault) -> None:
    failed = [line("prompts", "failed", "got nothing")]
    assert cells_of(COLUMN, failed, "")["prompts"] == Cell(Outcome.THEIRS, fault.reason)
    assert cells_of(OTHER, failed, "")["prompts"] == Cell(Outcome.FAILED, "got nothing")


def test_a_known_fault_that_is_gone_is_an_error(fault: Fault) -> None:
    assert cells_of(COLUMN, [line("prompts", "ok")], "")["prompts"].outcome is Outcome.FAILED


def test_a_fault_that_depends_on_chance_reads_the_same_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "FAULTS", (Fault(PAIR.name, "prompts", "loses some", always=False),))
    told = [cells_of(COLUMN, [line("prompts", outcome)], "")["prompts"] for outcome in ("ok", "failed")]
    assert told == [Cell(Outcome.THEIRS, "loses some")] * 2


def test_every_known_fault_is_of_a_pair_and_a_behaviour_that_there_are() -> None:
    assert {fault.pair for fault in FAULTS} <= {pair.name for pair in PAIRS}
    assert {fault.behaviour for fault in FAULTS} <= BEHAVIOURS.keys()


def test_a_reason_stands_once_below_the_table_with_all_that_it_holds_for() -> None:
    reason = "It speaks nothing newer."
    said = [line(name, "lacking", reason) for name in ("begin", "roots", "task", "prompts")]
    columns = {COLUMN: cells_of(COLUMN, [line("begin", "ok")], ""), OTHER: cells_of(OTHER, said, "")}
    assert report.notes(columns) == [f"HTTP stateless (-): {reason}"]
    assert report.shown(columns) == ["begin", "roots", "prompts", "task"]


def test_the_page_is_made_of_outcomes_and_reasons_alone() -> None:
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
