"""Headers on a command line: `NAME:VALUE`, or `NAME:@FILE` for a secret value."""

import re
from pathlib import Path

from server_core.errors import ConfigurationError

LONGEST_VALUE = 16 * 1024

# RFC 9110 sections 5.1 and 5.5.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x21-\x7E](?:[\t\x20-\x7E]*[\x21-\x7E])?")


def read_header(text: str) -> tuple[str, str]:
    """Return the name and the value of a header.

    Raises:
        ConfigurationError: when it is invalid, or its file cannot be read; the message never holds the value.
    """
    name, colon, value = text.partition(":")
    if not colon or not _NAME.fullmatch(name):
        raise ConfigurationError("--header must be NAME:VALUE, such as Authorization:@token.txt")
    value = value.strip()
    if value.startswith("@"):
        value = _read(Path(value[1:]).expanduser(), name)
    if len(value) > LONGEST_VALUE or not _VALUE.fullmatch(value):
        raise ConfigurationError(f"--header {name}: the value must be one line of printable ASCII")
    return name, value


def _read(path: Path, name: str) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--header {name}: {path} cannot be read: {error}") from None
