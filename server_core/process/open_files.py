"""The limit on open files of this process, which must be high enough to start."""

import os

# The minimum to load the tools, serve a client and write a capture.
MIN_OPEN_FILES = 32


def ensure_file_limit() -> str:
    """Raise the limit if it is too low; return an error message if that is not allowed, else an empty string."""
    limit = os.sysconf("SC_OPEN_MAX")
    if not 0 <= limit < MIN_OPEN_FILES:
        return ""
    # Imported late, since it is rarely needed; the limit that `sysconf` returns needs no import.
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < MIN_OPEN_FILES:
        return (
            f"this process may open {limit} files, but needs at least {MIN_OPEN_FILES}; raise the limit: ulimit -n 1024"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (MIN_OPEN_FILES, hard))
    return ""
