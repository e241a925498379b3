"""The values of secrets: from the environment, else from the project's `.env` file, where they are also kept.

Rule 1: the environment wins, as everywhere with `.env` files.
Rule 2: a value is taken as it stands: nothing in it is expanded.
Rule 3: the file is written whole, by renaming, with mode 0600; every other line stays as it is.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from server_core.catalog.discovery import project_root
from server_core.errors import ConfigurationError

Origin: TypeAlias = Literal["environment", ".env", "missing"]

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class SecretStatus:
    """Whether a secret is set; never its value.

    Attributes:
        key: its name.
        is_set: whether it has a value that is not empty.
        source: where the value comes from.
        path: the file it is in, or would be written to.
    """

    key: str
    is_set: bool
    source: Origin
    path: str


class SecretStore:
    """The secrets of one project.

    Args:
        project_folder: where the search for `.env` begins; it goes upwards to the nearest pyproject.toml, no further.
    """

    def __init__(self, project_folder: Path) -> None:
        self._folder = project_folder.resolve()
        self._stamp: tuple[Path, int, int] | None = None
        self._values: dict[str, str] = {}

    @property
    def path(self) -> Path:
        """The `.env` file; where it would be made, if there is none yet."""
        root = project_root(self._folder) or self._folder
        folders = [one for one in (self._folder, *self._folder.parents) if one.is_relative_to(root)]
        return next((one / ".env" for one in folders if (one / ".env").is_file()), root / ".env")

    def get(self, key: str) -> str | None:
        """Return the value of a secret; None when it is not set, or set to nothing."""
        return os.environ.get(key) or self._in_file().get(key) or None

    def values(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the values of those of the secrets that are set."""
        found = {key: self.get(key) for key in keys}
        return {key: value for key, value in found.items() if value is not None}

    def status(self, keys: Iterable[str]) -> list[SecretStatus]:
        """Return of each secret whether it is set, and where."""
        return [SecretStatus(key, (origin := self._origin(key)) != "missing", origin, str(self.path)) for key in keys]

    def set(self, key: str, value: str) -> None:
        """Write a secret to the `.env` file.

        Raises:
            ConfigurationError: when the key is none, the value is empty, the environment holds the secret already (and
                would win), or the file cannot be written.
        """
        _check(key)
        if not value:
            raise ConfigurationError(f"The value of {key} is empty; give a value, or unset the secret.")
        if "\0" in value:
            raise ConfigurationError(f"The value of {key} holds a zero byte, which no environment can carry.")
        self._check_environment(key, "so a value in .env would have no effect; change it there")
        self._write(key, f"{key}={_quoted(value)}\n")

    def unset(self, key: str) -> None:
        """Take a secret out of the `.env` file; it is no mistake when it is not there.

        Raises:
            ConfigurationError: when the environment holds the secret, or the file cannot be written.
        """
        _check(key)
        self._check_environment(key, "so it cannot be unset from here; unset it there")
        if key in self._in_file():
            self._write(key, "")

    def _origin(self, key: str) -> Origin:
        if os.environ.get(key):
            return "environment"
        return ".env" if self._in_file().get(key) else "missing"

    def _check_environment(self, key: str, consequence: str) -> None:
        if os.environ.get(key):
            raise ConfigurationError(f"{key} is set in the environment of the server, {consequence}.")

    def _in_file(self) -> dict[str, str]:
        path = self.path
        try:
            facts = path.stat()
            stamp = (path, facts.st_mtime_ns, facts.st_size)
            if stamp != self._stamp:
                self._values = _parsed(path)
                self._stamp = stamp
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path} cannot be read: {error}; correct it or its permissions.") from error
        return self._values

    def _write(self, key: str, line: str) -> None:
        path = self.path.resolve()  # Through a symbolic link, which stays one.
        try:
            kept = path.read_text("utf-8") if path.exists() else ""
            _replace(path, _with_line(kept, key, line))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path} cannot be written: {error}; correct its permissions.") from error
        self._stamp = None


def _check(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise ConfigurationError(f"{key!r} is no name of a secret; use letters, digits and `_`, like API_KEY.")


def _parsed(path: Path) -> dict[str, str]:
    from dotenv import dotenv_values

    return {key: value or "" for key, value in dotenv_values(path, interpolate=False, encoding="utf-8").items()}


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


def _replace(path: Path, text: str) -> None:
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".env-", dir=path.parent)  # mkstemp: mode 0600 from the start.
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
