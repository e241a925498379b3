"""How many files this process may have open, and whether that is enough to begin with."""

import os

FEWEST = 32
"""What is needed to load the tools, to serve a client and to keep a capture."""


def shortage() -> str:
    """Return what is wrong when this process may open too few files, and cannot change that; empty otherwise."""
    most = os.sysconf("SC_OPEN_MAX")
    if not 0 <= most < FEWEST:
        return ""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < FEWEST:
        return f"this process may open {most} files, and needs {FEWEST} at least; raise the limit: ulimit -n 1024"
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEWEST, hard))
    return ""
