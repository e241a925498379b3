"""Which names a secret can have: those of environment variables, without those that are for the server itself."""

import re

from server_core.errors import ConfigurationError

RESERVED = frozenset({"ARCADE_WORKER_SECRET", "ARCADE_API_KEY"})
CREDENTIALS = RESERVED | {"WORKBENCH_SECRETS_KEY", "WORKBENCH_STATE_KEY", "WORKBENCH_OAUTH_CLIENT_SECRET"}
"""Those of the server itself whose values no record shows either."""
RESERVED_PREFIXES = ("MCP_", "WORKBENCH_", "_")

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_reserved(key: str) -> bool:
    """Return whether a name is kept for the server's own settings and credentials, which no tool is shown."""
    name = key.upper()
    return name in RESERVED or name.startswith(RESERVED_PREFIXES)


def fault_of(key: str) -> tuple[str, str] | None:
    """Return what is wrong with a name for a secret, and what to do; None when nothing is."""
    if not _KEY.fullmatch(key):
        return f"{key!r} is no name of a secret", "use letters, digits and `_`, like API_KEY."
    if is_reserved(key):
        return f"{key} is kept for the server's own settings, and no tool is shown it", "name it otherwise."
    return None


def check(key: str) -> None:
    """Refuse what cannot be the name of a secret.

    Raises:
        ConfigurationError: when it is none, or reserved.
    """
    if fault := fault_of(key):
        raise ConfigurationError("; ".join(fault))
