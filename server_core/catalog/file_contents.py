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

    Attributes:
        path: the file.
        most: the size limit in bytes.
    """

    path: Path
    most: int = MAX_BYTES

    def __call__(self) -> str | bytes:
        """Read the file.

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
        with open(self.path, "rb", opener=_open_at_once) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ResourceError("The path of this resource is not a file.")
            # The file may have grown since.
            data = file.read(self.most + 1)
        if len(data) > self.most:
            size = max(status.st_size, len(data))
            raise ResourceError(f"The file of this resource has {size:,} bytes; the limit is {self.most:,}.")
        return data


def _open_at_once(path: str, flags: int) -> int:
    # Opening a pipe without a writer would block the thread forever.
    return os.open(path, flags | os.O_NONBLOCK)
