"""What a core was started with beside the command line: the settings in its environment, and its Python.

A terminal joins a core on its folder only where both are the same. Standard library only.
"""

import hashlib
import os
import sys

_PREFIXES = ("WORKBENCH_", "MCP_", "ARCADE_", "OTEL_")
# It names the place where cores are looked for, and is the same for all that are found there.
_PLACE = "WORKBENCH_RUNTIME"


def environment_digest() -> str:
    """Return a digest of the settings in the environment, none of which can be read from it, and of the Python."""
    settings = sorted(
        (name, value) for name, value in os.environ.items() if name.startswith(_PREFIXES) and name != _PLACE
    )
    return hashlib.sha256(repr((sys.prefix, settings)).encode("utf-8", "surrogateescape")).hexdigest()[:16]
