"""Files that only their owner may read: written whole, by renaming, and by one process at a time.

What to do about a file that cannot be written depends on why: see :func:`advice`.
"""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path


def read(path: Path, most: int, check: Callable[[os.stat_result], object] | None = None) -> bytes:
    """Return what is in a file, and wait for nobody: whatever stands in its place is refused.

    Args:
        path: the file.
        most: how many bytes it may have.
        check: raises an OSError for facts of the file that are not as they should be.

    Raises:
        OSError: when it is gone, cannot be read, is not a regular file or is larger.
    """
    # A pipe that nobody writes to would hold the thread for good.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY)) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        if check is not None:
            check(facts)
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return data


def check_owner(facts: os.stat_result) -> None:
    """Refuse a file or socket that somebody else may have written, also for root.

    Raises:
        PermissionError: when it belongs to another user, or others may write to it.
    """
    if facts.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, f"it belongs to another user, {facts.st_uid}")
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(errno.EPERM, "others may write to it")


def replace(path: Path, data: bytes) -> None:
    """Write a file for its owner alone; whoever reads it meanwhile sees all of the old or all of the new.

    Args:
        path: the file; its folder is made when it is missing.
        data: what is to be in it.

    Raises:
        OSError: when it cannot be written; then the old one is still there.
    """
    import tempfile

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}-", dir=path.parent)  # mkstemp: mode 0600 from the start.
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep every other process that asks for the same out of a folder, which is made for its owner alone.

    Raises:
        OSError: when the folder cannot be made or closed to others.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Keep every other process that asks for the same out of a folder, and leave nothing in it.

    Args:
        folder: it is made when it is missing. On file systems without such locks nobody is kept out.

    Raises:
        OSError: when it cannot be made or opened.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def advice(error: OSError, otherwise: str) -> str:
    """Return what to do about a file that cannot be written.

    Args:
        error: why it cannot.
        otherwise: what to do where neither the disk nor its file system is the reason.
    """
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "free some space on that disk"
        case errno.EROFS:
            return "choose a place that can be written"
        case _:
            return otherwise
