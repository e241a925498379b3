"""The files whose contents are values of a form: read, described, and completed."""

import base64
import json
import os
import stat
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from workbench.model import describe
from workbench.model.references import literal_references
from workbench.model.short_text import shortened

MAX_BYTES = 4 * 1024 * 1024
"""The size of the largest file that is sent."""

# The characters of a file that the JSON of a form shows.
_SHOWN = 40
_MAX_PATHS = 200
# The entries of a folder that are read for proposals.
_MAX_ENTRIES = 5_000


class FileValueError(ValueError):
    """A file cannot be the value of a field; the message is for the user."""


def read_value(path: str, *, is_binary: bool) -> str:
    """Return the content of a file: its text, or its bytes as base64; FileValueError if it is unusable."""
    content = _content(path)
    if is_binary:
        return base64.b64encode(content).decode("ascii")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileValueError(f"{_name(path)} is no text: byte {error.start:,} is not UTF-8") from error


def read_argument(path: str, *, is_binary: bool) -> str:
    """Return the same as `read_value`, for arguments that are resolved: a file contains no references."""
    return literal_references(read_value(path, is_binary=is_binary))


def with_files(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a saved call with the contents of the files that its texts name.

    ConfigurationError names a file that cannot be used.
    """
    if '"@' not in json.dumps(arguments):
        return arguments
    # Imported when it is needed: most saved calls name no file.
    from workbench.model.forms.form import Form

    def read(path: str, *, is_binary: bool) -> str:
        try:
            return read_argument(path, is_binary=is_binary)
        except FileValueError as error:
            raise ConfigurationError(f"the saved call names a file: {error}") from None

    form = Form(schema or {"type": "object", "additionalProperties": {"type": "string"}})
    form.load_typed(arguments)
    contents: dict[str, Any] = form.value_with_files(read)
    return contents


def describe_value(path: str, *, is_binary: bool) -> str:
    """Return a short text that stands for a file in JSON: its name, its size, and how it begins."""
    try:
        value = read_value(path, is_binary=is_binary)
    except FileValueError as error:
        return f"‹@{path}: {error}›"
    unit = "base64 character" if is_binary else "character"
    return f"‹@{path}: {describe.plural(len(value), unit)}, {shortened(value, _SHOWN)}›"


def path_proposals(text: str) -> list[str]:
    """Return texts that continue `@` and the start of a path: folders end with a separator, hidden files come last."""
    start = text.removeprefix("@")
    folder, _, name = start.rpartition(os.sep)
    shown = folder + os.sep if os.sep in start else ""
    try:
        with os.scandir(typed_path(shown or ".")) as entries:
            read = [(entry.name, entry.is_dir()) for entry, _ in zip(entries, range(_MAX_ENTRIES), strict=False)]
    except (OSError, ValueError):
        return []
    matching = [entry for entry in read if name.lower() in entry[0].lower() and entry[0].isprintable()]
    matching.sort(key=lambda entry: (entry[0].startswith("."), not entry[0].startswith(name), entry[0].lower()))
    return [f"@{shown}{entry}{os.sep if is_folder else ''}" for entry, is_folder in matching[:_MAX_PATHS]]


def _content(path: str) -> bytes:
    try:
        # A pipe or a device may never end: only a regular file is read.
        descriptor = os.open(typed_path(path), os.O_RDONLY | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
                raise FileValueError(f"{_name(path)} is {kind}: name a file")
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise FileValueError(f"there is no file {_name(path)} in {_name(str(Path.cwd()))}") from error
    except IsADirectoryError as error:
        raise FileValueError(f"{_name(path)} is a folder: name a file") from error
    except FileValueError:
        raise
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "the path is not valid"
        raise FileValueError(f"{_name(path)} cannot be read: {reason.lower()}") from error
    if len(content) > MAX_BYTES:
        size = describe.size(max(status.st_size, len(content)))
        raise FileValueError(f"{_name(path)} has {size}; at most {describe.size(MAX_BYTES)} are sent")
    return content


def typed_path(text: str) -> Path:
    """Return the path that a user has typed; `~` is a home folder, if one is known."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def _name(path: str) -> str:
    return shortened(path, 200)
