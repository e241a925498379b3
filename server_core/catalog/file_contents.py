"""The content of a file as that of a resource, read anew each time; its author chose the path, wherever that leads."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from server_core.errors import ResourceError, ResourceNotFound

# What a client gets is one message: in base64 it is a third longer, and most clients take 16 MiB.
MOST_BYTES = 10 * 1024 * 1024


@dataclass(eq=False)
class FileContents:
    """A function that returns what is in a file: text where it is UTF-8, else bytes.

    Clients are not told where the file lies.

    Attributes:
        path: the file.
        most: how many bytes it may have.
    """

    path: Path
    most: int = MOST_BYTES

    def __call__(self) -> str | bytes:
        """Read the file.

        Raises:
            ResourceNotFound: when there is no such file.
            ResourceError: when it is no plain file, is too big, or may not be read.
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
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise ResourceError("What this resource is to be read from is no file.")
            # It may grow meanwhile.
            data = file.read(self.most + 1)
        if len(data) > self.most:
            size = max(found.st_size, len(data))
            raise ResourceError(f"The file of this resource has {size:,} bytes; up to {self.most:,} are sent.")
        return data


def _open_at_once(path: str, flags: int) -> int:
    # A pipe that nobody writes to would hold the thread for good.
    return os.open(path, flags | os.O_NONBLOCK)
