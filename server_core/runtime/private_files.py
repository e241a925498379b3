"""Files that only their owner may read: replaced as a whole, by renaming, and by one process at a time.

How to remedy a failed write depends on the error: see :func:`advice`.
"""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path


def read(path: Path, limit: int, check: Callable[[os.stat_result], object] | None = None) -> bytes:
    """Return the contents of a regular file; refuse anything else, or more than `limit`, without blocking: OSError.

    `check` may raise an OSError for the status of the file.
    """
    # Opening a pipe without a writer would block the thread forever.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY)) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        if check is not None:
            check(facts)
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit:,} bytes", str(path))
    return data


def check_owner(facts: os.stat_result) -> None:
    """Raise PermissionError for a file or socket that another user may have written; also when running as root."""
    if facts.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, f"it belongs to another user, {facts.st_uid}")
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(errno.EPERM, "others can write to it")


def replace(path: Path, data: bytes) -> None:
    """Write a private file and its folder; others read the old or new contents, after an OSError the old."""
    # Imported late: it imports the archive and compression modules.
    import tempfile

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}-", dir=path.parent)  # mkstemp: mode 0600 from the start.
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            # Otherwise, after a power failure, the new name may belong to an empty file.
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


@contextlib.contextmanager
def lock_private_folder(folder: Path) -> Iterator[None]:
    """Lock a private folder of ours against processes that use this function, with a lock file in it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock any folder against processes that use this function, without a lock file; some file systems do not."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def advice(error: OSError, otherwise: str) -> str:
    """Return how to remedy a failed write; `otherwise` if neither the disk nor its file system is the reason."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "free some space on that disk"
        case errno.EROFS:
            return "choose a writable location"
        case _:
            return otherwise
