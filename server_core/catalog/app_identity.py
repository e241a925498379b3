"""Which names and versions an app may have: the rules of Arcade's `MCPApp`.

They apply both to an app object and to one whose source is only read, so this module imports nothing else.

Source: https://semver.org, with the regular expression that it suggests.
"""

import re
from typing import Any

NAME = "ArcadeMCP"
"""The default name of an app."""
VERSION = "0.1.0"

_NUMBER = r"(?:0|[1-9][0-9]*)"
_SHORT_VERSION = re.compile(rf"v?(?P<numbers>{_NUMBER}(?:\.{_NUMBER}){{0,2}})(?P<rest>.*)", re.DOTALL)
_PRE_PART = r"(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_SUFFIX = re.compile(rf"(?:-{_PRE_PART}(?:\.{_PRE_PART})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?")
_NAME_RULES = (
    (re.compile(r".+", re.DOTALL), "cannot be empty"),
    (re.compile(r"[A-Za-z0-9_]+"), "must contain only alphanumeric characters and underscores"),
    (re.compile(r"[^_].*"), "cannot start with an underscore"),
    (re.compile(r"(?!.*__).*"), "cannot have consecutive underscores"),
    (re.compile(r".*[A-Za-z0-9]"), "must end with an alphanumeric character"),
)


def checked_name(name: Any) -> str:
    """Return the name of an app, or raise TypeError or ValueError, whose message names the rule."""
    if not isinstance(name, str):
        raise TypeError("MCPApp's name must be a string")
    for rule, broken in _NAME_RULES:
        if not rule.fullmatch(name):
            raise ValueError(f"MCPApp's name {broken}")
    return name


def checked_version(version: Any) -> str:
    """Return the version of an app with all three numbers: `1` -> `1.0.0`, `v1.2` -> `1.2.0`.

    Raises:
        TypeError: when it is not a string.
        ValueError: when it is not a semantic version.
    """
    if not isinstance(version, str):
        raise TypeError("MCPApp's version must be a string")
    match = _SHORT_VERSION.fullmatch(version)
    numbers = match["numbers"].split(".") if match else []
    # A shortened version must have no suffix.
    if match is None or not _SUFFIX.fullmatch(match["rest"]) or (match["rest"] and len(numbers) < 3):
        got = version.removeprefix("v") or "version cannot be empty"
        raise ValueError(f"MCPApp's version must be a valid semver string (e.g., '1.0.0', '1.2.3-beta.1'), got '{got}'")
    return ".".join([*numbers, "0", "0"][:3]) + match["rest"]
