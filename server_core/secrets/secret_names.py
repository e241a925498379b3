"""The valid names of secrets: those of environment variables, except the server's own."""

import re

from server_core.errors import ConfigurationError

RESERVED = frozenset({"ARCADE_WORKER_SECRET", "ARCADE_API_KEY"})
CREDENTIALS = RESERVED | {"WORKBENCH_SECRETS_KEY", "WORKBENCH_STATE_KEY", "WORKBENCH_OAUTH_CLIENT_SECRET"}
"""The server's own credentials, whose values are masked in records as well."""
RESERVED_PREFIXES = ("MCP_", "WORKBENCH_", "_")

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_reserved(key: str) -> bool:
    """Return whether a name is reserved for the server's own settings and credentials, which no tool may read."""
    name = key.upper()
    return name in RESERVED or name.startswith(RESERVED_PREFIXES)


def fault_of_name(key: str) -> tuple[str, str] | None:
    """Return why a name is not valid for a secret, and what to do; None when it is valid."""
    if not _KEY.fullmatch(key):
        return f"{key!r} is not a name of a secret", "use letters, digits and `_`, as in API_KEY."
    if is_reserved(key):
        return f"{key} is reserved for the server's own settings, and tools cannot read it", "use another name."
    return None


def check_name(key: str) -> None:
    """Raise ConfigurationError when a name is invalid for a secret, or reserved."""
    if fault := fault_of_name(key):
        raise ConfigurationError("; ".join(fault))
