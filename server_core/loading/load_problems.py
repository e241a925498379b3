"""Problems for files that could not be loaded, with the line that caused the error."""

import logging
import traceback
from collections.abc import Collection, Iterable
from pathlib import Path

from server_core.catalog.definitions import Source
from server_core.catalog.problems import Problem, problem_at
from server_core.errors import ConfigurationError, ErrorKind
from server_core.loading.ast_scan import ARCADE_FIX, ARCADES, Note
from server_core.runtime.safe_text import safe_str

FOLDER_NOT_SEARCHED = "FOLDER_NOT_SEARCHED"
"""The kind of the problem of a folder that is not searched for tools, where terminals show the start screen."""
_log = logging.getLogger(__name__)


def load_problem(file: Path, error: BaseException, files: Collection[Path]) -> Problem:
    """Return the problem of an import, at the innermost line in a file of the project."""
    if isinstance(error, SyntaxError) and error.filename:
        text = (error.text or "").strip()
        return Problem(
            "error",
            f"{Path(error.filename).name} has a syntax error: {error.msg}.",
            error.filename,
            error.lineno or 0,
            text,
            "Correct the line and save.",
            ErrorKind.TOOLKIT_LOAD_FAILED.value,
        )
    # The same message for every file that fails because of this line, so that it is a single problem.
    source = _failing_line(file, error, files)
    return problem_at(
        source,
        f"{Path(source.file).name} cannot be imported: {_error_text(error)}.",
        _fix(error),
        kind=ErrorKind.TOOLKIT_LOAD_FAILED,
    )


def problems_of_notes(notes: Iterable[Note], served: Collection[tuple[str, int]]) -> list[Problem]:
    """Return the problems for notes from the scan of files, given the file and first line of all that is served."""
    return [
        problem_at(Source(str(note.file), note.line), note.message, note.fix, kind=ErrorKind.TOOLKIT_LOAD_FAILED)
        for note in notes
        if not (note.is_moot_if_served and (str(note.file), note.line) in served)
    ]


def run_call_warning(app: str) -> Problem:
    """Return the warning that a file calls `run` of an app when it is imported."""
    return Problem(
        "warning",
        f"The file of {app!r} calls run() when it is imported; the call was ignored.",
        fix='Put it under `if __name__ == "__main__":`.',
        kind=ErrorKind.TOOLKIT_LOAD_FAILED.value,
    )


def project_problem(path: Path, error: BaseException) -> Problem:
    """Return the problem for a load that failed as a whole, and not because of a line in the files."""
    if isinstance(error, ConfigurationError):
        return Problem("error", str(error), str(path), fix="Restore it, or open another folder.")
    _log.error("%s could not be loaded", path, exc_info=error)
    message = f"The tools of {path} could not be loaded: {_error_text(error)}."
    return Problem("error", message, str(path), fix="See the traceback on standard error.")


def refusal_problem(folder: Path, refusal: str) -> Problem:
    """Return the problem of a folder that is not searched for tools."""
    fix = "Open the folder of your tools, or one of its files; `workbench new NAME` creates a project."
    return Problem("error", refusal, str(folder), fix=fix, kind=FOLDER_NOT_SEARCHED)


def _failing_line(file: Path, error: BaseException, files: Collection[Path]) -> Source:
    # The frames of the import system and of libraries do not help the author.
    known = {str(path) for path in files} | {str(file)}
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in known]
    return Source(frames[-1].filename, frames[-1].lineno or 1) if frames else Source(str(file), 1)


def _fix(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in ARCADES:
        return ARCADE_FIX
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"Install {error.name.partition('.')[0]!r}, or correct the name of the import."
    if isinstance(error, SystemExit):
        return 'Put the code that ends the program under `if __name__ == "__main__":`.'
    if isinstance(error, KeyboardInterrupt):
        return "Save the file to import it again; the import was interrupted, or raised this itself."
    if isinstance(error, MemoryError):
        return "Reduce the memory that this line needs, or move it into a tool, so that it runs when it is called."
    return "Correct the line and save."


def _error_text(error: BaseException) -> str:
    text = safe_str(error).strip().rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
