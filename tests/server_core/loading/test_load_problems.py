"""Problems of imports that fail."""

from pathlib import Path

import pytest

from server_core.loading.load_problems import load_problem, project_problem


class Unreadable(Exception):
    def __str__(self) -> str:
        raise SystemExit(7)


@pytest.mark.parametrize(
    ("error", "message", "fix"),
    [
        (ValueError("it is odd."), "ValueError: it is odd.", "Correct the line and save."),
        (ValueError(), "ValueError.", "Correct the line and save."),
        (AssertionError(" \n"), "AssertionError.", "Correct the line and save."),
        (KeyboardInterrupt(), "KeyboardInterrupt.", "Save the file to import it again"),
        (MemoryError(), "MemoryError.", "Reduce the memory that this line needs"),
        (SystemExit(), "SystemExit.", "Put the code that ends the program under"),
        (Unreadable(), "Unreadable: (its text cannot be read: __str__ raised SystemExit).", "Correct the line and"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_an_error_is_described_by_its_class_and_its_text_if_any(
    error: BaseException, message: str, fix: str, tmp_path: Path
) -> None:
    problem = load_problem(tmp_path / "a.py", error, ())
    assert problem.message == f"a.py cannot be imported: {message}"
    assert problem.fix.startswith(fix)


def test_an_error_without_text_and_line_is_described_by_its_class(tmp_path: Path) -> None:
    assert (
        project_problem(tmp_path, MemoryError()).message == f"The tools of {tmp_path} could not be loaded: MemoryError."
    )
