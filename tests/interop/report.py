"""The matrix as tables: for the terminal, and as a page of the documentation, which is the same after every run."""

from collections.abc import Mapping

from server_core.runtime.version import VERSION
from tests.interop.behaviours import BEHAVIOURS
from tests.interop.cells import NOT_SHOWN, Cell, Outcome
from tests.interop.pairs import Column, Pair
from tests.peers.node import NODE

OUTCOMES = [outcome for outcome in Outcome if outcome is not Outcome.FAILED]
"""What may stand on the page: it is written when nothing has failed."""

Columns = Mapping[Column, Mapping[str, Cell]]

HEAD = """\
<!-- Made by `make interop`: change the code and run it. -->

# Interop: results with the clients and servers of other libraries

Every client tries every behaviour on every server. `make interop` runs the matrix, writes this page, and ends with an
error if a cell fails. Our server is `workbench serve`, our client is that of `workbench call`. The tools, resources and
prompts are the same for all servers, written in the style of each library (`tests/interop/servers`); only
server-everything has different ones.

- *handshake*: a session with `initialize`, revision 2025-11-25.
- *stateless*: revision 2026-07-28, which the client is configured to use.
- *auto*: the client finds out which revision the server speaks.

The values of the cells:

- **ok**: the behaviour conforms to the specification.
- **-**: the client or the server does not support it.
- **theirs**: it fails because the peer does not conform to the specification; the notes below the table describe how.
"""


def for_terminal(pair: Pair, columns: Columns) -> str:
    """Return a pair's table in plain text."""
    width = max(map(len, BEHAVIOURS))
    lines = [pair.title, " " * width + "  " + "  ".join(column.title for column in columns)]
    for behaviour in shown(columns):
        cells = [f"{cells[behaviour].outcome:{len(column.title)}}" for column, cells in columns.items()]
        lines.append(f"{behaviour:{width}}  {'  '.join(cells)}")
    return "\n".join([*lines, *(f"  {note}" for note in notes(columns)), ""])


def for_docs(matrix: Mapping[Pair, Columns]) -> str:
    """Return the page."""
    versions = {name: version for pair in matrix for name, version in pair.versions().items()}
    parts = [
        HEAD,
        "## Versions\n",
        *table(
            ["", "version"], [["workbench", VERSION], *map(list, versions.items()), ["Node.js", NODE.partition("@")[2]]]
        ),
    ]
    parts += ["", "## Summary", "", *table(["", *OUTCOMES], [[pair.title, *_counts(matrix[pair])] for pair in matrix])]
    parts += ["", "## Behaviours", ""]
    parts += table(["behaviour", "ok means"], [[name, meaning] for name, meaning in BEHAVIOURS.items()])
    for pair, columns in matrix.items():
        head = ["", *(column.title for column in columns)]
        rows = [[name, *(cells[name].outcome for cells in columns.values())] for name in shown(columns)]
        parts += ["", f"## {pair.title}", "", *table(head, rows), "", *(f"- {note}" for note in notes(columns))]
    return "\n".join(parts).rstrip() + "\n"


def shown(columns: Columns) -> list[str]:
    """Return the behaviours that the peer has something to show with."""
    nothing = Cell(Outcome.LACKING, NOT_SHOWN)
    return [name for name in BEHAVIOURS if any(cells[name] != nothing for cells in columns.values())]


def notes(columns: Columns, *outcomes: Outcome) -> list[str]:
    """Return why cells are not ok, each reason once, with the rows and columns that it holds for.

    Args:
        columns: the cells.
        outcomes: only cells that ended so; all that are not ok when none is given.
    """
    wanted = outcomes or tuple(set(Outcome) - {Outcome.OK})
    where: dict[tuple[Outcome, str], dict[str, list[str]]] = {}
    for name in BEHAVIOURS:
        for column, cells in columns.items():
            cell = cells[name]
            if cell.outcome in wanted and cell.reason != NOT_SHOWN:
                where.setdefault((cell.outcome, cell.reason), {}).setdefault(name, []).append(column.title)
    return [f"{_places(rows, len(columns))} ({outcome}): {reason}" for (outcome, reason), rows in where.items()]


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    return [f"| {' | '.join(item)} |" for item in (head, ["---"] * len(head), *rows)]


def _counts(columns: Columns) -> list[str]:
    names = shown(columns)
    return [str(sum(cells[name].outcome is item for cells in columns.values() for name in names)) for item in OUTCOMES]


def _places(rows: Mapping[str, list[str]], count: int) -> str:
    columns = {tuple(titles) for titles in rows.values()}
    if len(rows) > 3 and len(columns) == 1:
        return ", ".join(columns.pop())
    entries = [name if len(titles) == count else f"{name} ({', '.join(titles)})" for name, titles in rows.items()]
    return "; ".join(entries)
