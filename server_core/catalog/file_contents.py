"""Resources that return the content of a file, read on each request; the author chose the path, so any is allowed."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from server_core.errors import ResourceError, ResourceNotFound

# The content is sent in one message: base64 adds a third, and most clients accept up to 16 MiB.
MAX_BYTES = 10 * 1024 * 1024


@dataclass(eq=False)
class FileContents:
    """A function that returns the content of a file: text if it is UTF-8, else bytes.

    Errors do not reveal the path to clients.
    """

    path: Path
    limit: int = MAX_BYTES  # in bytes

    def __call__(self) -> str | bytes:
        """Return the content of the file.

        Raises:
            ResourceNotFound: when there is no such file.
            ResourceError: when it is not a regular file, is too big, or cannot be read.
        """
        try:
            data = self._read()
        except (FileNotFoundError, NotADirectoryError):
            raise ResourceNotFound() from None
        except OSError as error:
            raise ResourceError(f"The file of this resource cannot be read: {error.strerror}.") from error
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data

    def _read(self) -> bytes:
        with open(self.path, "rb", opener=_open_without_waiting) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ResourceError("The path of this resource is not a file.")
            # One byte more than the limit shows that a file has grown since its status was read.
            data = file.read(self.limit + 1)
        if len(data) > self.limit:
            size = max(status.st_size, len(data))
            raise ResourceError(f"The file of this resource has {size:,} bytes; the limit is {self.limit:,}.")
        return data


def _open_without_waiting(path: str, flags: int) -> int:
    # Otherwise opening a pipe without a writer would block the thread forever.
    return os.open(path, flags | os.O_NONBLOCK)
