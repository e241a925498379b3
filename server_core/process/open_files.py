"""The limit on open files of this process, and whether it is high enough to start."""

import os

FEWEST = 32
"""The minimum to load the tools, serve a client and write a capture."""


def shortage() -> str:
    """Return an error message if this process may open too few files and cannot raise its limit; empty otherwise."""
    most = os.sysconf("SC_OPEN_MAX")
    if not 0 <= most < FEWEST:
        return ""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < FEWEST:
        return f"this process may open {most} files, but needs at least {FEWEST}; raise the limit: ulimit -n 1024"
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEWEST, hard))
    return ""
