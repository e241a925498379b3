"""The part of the matrix that needs only what the tests are installed with: the official Python SDK, both ways."""

import sys
from dataclasses import replace

import pytest

from tests.interop.cells import Outcome
from tests.interop.pairs import AUTO, CLIENTS, HANDSHAKE, HTTP, PAIRS, SERVERS, STATELESS, STDIO, Column, Server
from tests.interop.run import COLUMN_SECONDS, run_column

pytestmark = pytest.mark.timeout(COLUMN_SECONDS)

CLIENT = [sys.executable, str(CLIENTS / "official.py")]
SERVER = [sys.executable, str(SERVERS / "official.py")]

BY_NAME = {pair.name: pair for pair in PAIRS}
THEIR_CLIENT = replace(BY_NAME["official-client"], client=lambda: CLIENT)
THEIR_SERVER = replace(
    BY_NAME["official-server"], server=Server(lambda: SERVER, lambda port: [*SERVER, "--http", str(port)])
)


# `auto` becomes stateless with a server of ours; `make interop` runs all columns.
@pytest.mark.parametrize(
    ("transport", "era"), [(STDIO, HANDSHAKE), (STDIO, AUTO), (HTTP, HANDSHAKE), (HTTP, STATELESS)]
)
def test_the_official_client_gets_everything_of_our_server(transport: str, era: str) -> None:
    cells = run_column(Column(THEIR_CLIENT, transport, era))
    assert {name: cell.reason for name, cell in cells.items() if cell.outcome is Outcome.FAILED} == {}
    # Its library has no tasks, and the commands are ours.
    assert {name for name, cell in cells.items() if cell.outcome is not Outcome.OK} == {
        "task",
        "task that asks",
        "workbench call",
        "workbench list",
    }


@pytest.mark.parametrize(("transport", "era"), [(STDIO, AUTO), (HTTP, HANDSHAKE), (HTTP, STATELESS)])
def test_our_client_gets_everything_of_an_official_server(transport: str, era: str) -> None:
    cells = run_column(Column(THEIR_SERVER, transport, era))
    assert {name: cell.reason for name, cell in cells.items() if cell.outcome is Outcome.FAILED} == {}
    assert sum(cell.outcome is Outcome.OK for cell in cells.values()) >= 25
