"""The `.env` file of a project: where it is, what it says, and one line of it changed.

Rule 1: the nearest one counts, from the project's folder upwards to the nearest pyproject.toml and no further.
Rule 2: a value is taken as it stands: nothing in it is expanded.
Rule 3: the file is written whole, by renaming, with mode 0600, and by one process at a time; every other line stays as
it is.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from server_core.errors import ConfigurationError

ENV_FILE_VARIABLE = "WORKBENCH_ENV_FILE"
"""Names another file, in the environment."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the file says of one name.

    Attributes:
        value: the text; empty where there is none.
        line: where it stands, from 1 on.
    """

    value: str = field(repr=False)
    line: int


def root_of(path: Path) -> Path:
    """Return the folder that a project is: the nearest one upwards with a pyproject.toml, else its own.

    Args:
        path: the project's folder, or its file.
    """
    from server_core.runtime.paths import project_root

    folder = _folder(path)
    return project_root(folder) or folder


def find(path: Path, environment: Mapping[str, str] | None = None) -> Path:
    """Return the `.env` file of a project; where it would be made, if there is none yet.

    Args:
        path: the project's folder, or its file.
        environment: may name another file; the process's own when not given.
    """
    environment = os.environ if environment is None else environment
    if chosen := environment.get(ENV_FILE_VARIABLE):
        return Path(chosen).expanduser().absolute()
    folder, root = _folder(path), root_of(path)
    folders = [one for one in (folder, *folder.parents) if one.is_relative_to(root)]
    return next((one / ".env" for one in folders if (one / ".env").is_file()), root / ".env")


def read_bytes(file: Path) -> bytes:
    """Return what is in the file; nothing when there is none.

    Raises:
        ConfigurationError: when it cannot be read.
    """
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise _unreadable(file, error) from error


def entries(file: Path) -> dict[str, Entry]:
    """Return what the file says: name -> entry; of a name that it says twice, the last.

    Raises:
        ConfigurationError: when it cannot be read, or is no text.
    """
    import io

    from dotenv.parser import parse_stream

    try:
        text = read_bytes(file).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(file, error) from error
    found: dict[str, Entry] = {}
    for binding in parse_stream(io.StringIO(text, newline=None)):
        if binding.key is not None:
            # What the parser counts to a binding begins with the blank lines before it.
            original = binding.original.string
            blank = original[: len(original) - len(original.lstrip())].count("\n")
            found[binding.key] = Entry(binding.value or "", binding.original.line + blank)
    return found


def put(file: Path, key: str, value: str | None) -> None:
    """Change what the file says of one name.

    Args:
        file: is made when there is none.
        key: the name.
        value: its value; None to say nothing of it any more.

    Raises:
        ConfigurationError: when the file cannot be read or written.
    """
    from server_core.runtime import private_files

    file = file.resolve()  # Through a symbolic link, which stays one.
    line = "" if value is None else f"{key}={_quoted(value)}\n"
    try:
        with private_files.exclusive(file.parent):
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
    # The text of a decoding error says which bytes were found, which may be of a secret.
    why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
    return ConfigurationError(f"{file} cannot be read: {why}; correct it or its permissions.")


def _with_line(text: str, key: str, line: str) -> str:
    """The text of an `.env` file with the line put in the place of the key's old one, or at the end."""
    import io

    from dotenv.parser import parse_stream

    kept: list[str] = []
    written = False
    for binding in parse_stream(io.StringIO(text)):
        original = binding.original.string
        if binding.key != key:
            kept.append(original)
        elif not written:
            # What the parser counts to a binding begins with the blank lines before it.
            kept.append(original[: len(original) - len(original.lstrip("\n"))] + line)
            written = True
    if not written and line:
        if kept and not kept[-1].endswith("\n"):
            kept.append("\n")
        kept.append(line)
    return "".join(kept)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
