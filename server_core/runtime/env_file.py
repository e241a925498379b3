"""The `.env` file of a project: finding it, reading its entries, and changing a single line.

Rule 1: the nearest file is used, from the project's folder upwards to the nearest pyproject.toml and no further.
Rule 2: values are literal: nothing in them is expanded.
Rule 3: the file is replaced as a whole, by renaming, with mode 0600, and by one process at a time; every other line is
preserved.
Rule 4: a file that cannot be read or written is a ConfigurationError.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from server_core.errors import ConfigurationError

ENV_FILE_VARIABLE = "WORKBENCH_ENV_FILE"
"""The environment variable that names another file."""


@dataclass(frozen=True, slots=True)
class EnvEntry:
    """One entry of the file, with its line number, from 1 on."""

    # It may be a secret, so it must not appear in tracebacks and logs.
    value: str = field(repr=False)
    line: int


def root_of(path: Path) -> Path:
    """Return the root folder of a project: the nearest folder upwards with a pyproject.toml, else the project's own."""
    from server_core.runtime.paths import project_root

    folder = _folder(path)
    return project_root(folder) or folder


def find(path: Path, environment: Mapping[str, str] | None = None) -> Path:
    """Return the path of a project's `.env` file; if there is none yet, the path where it would be created.

    The path of the project is that of its folder or file. A variable of the environment may name another `.env` file.
    """
    return find_in_folders(search_folders(path), environment)


def search_folders(path: Path) -> tuple[Path, ...]:
    """Return the folders that may contain a project's `.env` file: the nearest first, the root of the project last."""
    folder, root = _folder(path), root_of(path)
    return tuple(candidate for candidate in (folder, *folder.parents) if candidate.is_relative_to(root))


def find_in_folders(folders: Sequence[Path], environment: Mapping[str, str] | None = None) -> Path:
    """Return the same as :func:`find`, given the result of :func:`search_folders`."""
    environment = os.environ if environment is None else environment
    if chosen := environment.get(ENV_FILE_VARIABLE):
        return Path(chosen).expanduser().absolute()
    return next((folder / ".env" for folder in folders if (folder / ".env").is_file()), folders[-1] / ".env")


def read_bytes(file: Path) -> bytes:
    """Return the contents of the file; empty when there is no file."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise _unreadable(file, error) from error


def read_entries(file: Path) -> dict[str, EnvEntry]:
    """Return the entries of the file by name; when a name occurs twice, the last entry."""
    # Imported late, and also below: a core without such a file does not need the parser.
    import io

    from dotenv.parser import parse_stream

    try:
        text = read_bytes(file).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(file, error) from error
    result: dict[str, EnvEntry] = {}
    for binding in parse_stream(io.StringIO(text, newline=None)):
        if binding.key is not None:
            # The parser includes the blank lines before a binding in its text.
            original = binding.original.string
            blank = original[: len(original) - len(original.lstrip())].count("\n")
            result[binding.key] = EnvEntry(binding.value or "", binding.original.line + blank)
    return result


def set_entry(file: Path, key: str, value: str | None) -> None:
    """Set an entry of the file, which is created if it does not exist; None removes the entry."""
    from server_core.runtime import private_files

    file = file.resolve()  # A symbolic link is preserved: its target is replaced.
    line = "" if value is None else f"{key}={_quoted(value)}\n"
    try:
        with private_files.lock_folder(file.parent):
            text = file.read_text("utf-8") if file.exists() else ""
            private_files.replace(file, _with_line(text, key, line).encode("utf-8"))
    except UnicodeDecodeError as error:
        raise _unreadable(file, error) from error
    except OSError as error:
        todo = private_files.advice(error, "correct its permissions, or those of its folder")
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}; {todo}.") from error


def _folder(path: Path) -> Path:
    path = path.resolve()
    return path.parent if path.is_file() else path


def _unreadable(file: Path, error: Exception) -> ConfigurationError:
    # The text of a decoding error contains the offending bytes, which may belong to a secret.
    why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
    return ConfigurationError(f"{file} cannot be read: {why}; correct it or its permissions.")


def _with_line(text: str, key: str, line: str) -> str:
    """Return the text of an `.env` file with the key's line replaced, or the line appended."""
    import io

    from dotenv.parser import parse_stream

    lines: list[str] = []
    written = False
    for binding in parse_stream(io.StringIO(text)):
        original = binding.original.string
        if binding.key != key:
            lines.append(original)
        elif not written:
            # The parser includes the blank lines before a binding in its text.
            lines.append(original[: len(original) - len(original.lstrip("\n"))] + line)
            written = True
    if not written and line:
        if lines and not lines[-1].endswith("\n"):
            lines.append("\n")
        lines.append(line)
    return "".join(lines)


def _quoted(value: str) -> str:
    # In single quotes, the parser expands nothing and knows only these two escapes.
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
