"""The table with the saved calls of a project."""

from pathlib import Path
from typing import TypeAlias

from workbench.model.project_yaml import CALLS
from workbench.model.saved_calls import SavedCall, SavedCalls, parse_saved_calls
from workbench.workspace.project_file import StoredTable, TableFile


class SavedCallsFile(TableFile[SavedCall]):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, CALLS, lambda text: _contents(parse_saved_calls(text)), SavedCall.to_yaml)

    def read(self) -> SavedCalls:
        """Return the calls, and the mistakes in the file."""
        return SavedCalls(*self.read_contents())


StoredCalls: TypeAlias = StoredTable[SavedCallsFile, SavedCalls]


def _contents(saved: SavedCalls) -> tuple[tuple[SavedCall, ...], tuple[str, ...]]:
    return saved.calls, saved.problems
