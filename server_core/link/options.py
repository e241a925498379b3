"""The options of a core besides its command line: the settings in its environment, and its Python.

A terminal attaches to a core on its folder only if both are the same. Standard library only.
"""

import hashlib
import os
import sys

_PREFIXES = ("WORKBENCH_", "MCP_", "ARCADE_", "OTEL_")
# The folder in which cores are searched; it is the same for all cores in it.
_PLACE = "WORKBENCH_RUNTIME"


def environment_digest() -> str:
    """Return a digest of the settings in the environment and of the Python; it reveals no setting."""
    settings = sorted(
        (name, value) for name, value in os.environ.items() if name.startswith(_PREFIXES) and name != _PLACE
    )
    return hashlib.sha256(repr((sys.prefix, settings)).encode("utf-8", "surrogateescape")).hexdigest()[:16]
