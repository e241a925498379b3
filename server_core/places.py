"""Where things lie on this machine: captures, sockets, descriptors.

Every folder is made when it is first asked for, for its owner alone. The runtime folder is found with the standard
library alone, because a terminal asks for it before it has imported anything else.
"""

import os
import stat
from pathlib import Path

from server_core.errors import ConfigurationError

# A Unix socket's path may have 103 characters on macOS and 107 on Linux; a name in the folder needs up to 40.
LONGEST_RUNTIME_FOLDER = 63


def data_folder() -> Path:
    """Return the folder for what is kept: `WORKBENCH_HOME`, else the user's data folder.

    Raises:
        ConfigurationError: when it cannot be made.
    """
    if chosen := os.environ.get("WORKBENCH_HOME"):
        return _made(Path(chosen).expanduser().absolute(), "WORKBENCH_HOME")
    import platformdirs

    return _made(platformdirs.user_data_path("workbench", appauthor=False), "WORKBENCH_HOME")


def captures_folder() -> Path:
    """Return the folder of the captures.

    Raises:
        ConfigurationError: when it cannot be made.
    """
    return _made(data_folder() / "captures", "WORKBENCH_HOME")


def runtime_folder() -> Path:
    """Return the folder for sockets and descriptors of running cores, a short path that only its owner may enter.

    It is `WORKBENCH_RUNTIME`, else `workbench` in `XDG_RUNTIME_DIR`, else one of the user's own under the folder
    for temporary files.

    Raises:
        ConfigurationError: when it cannot be made, others may enter it, or its path is too long for a socket.
    """
    folder = _made(_runtime_path(), "WORKBENCH_RUNTIME")
    if len(os.fsencode(folder)) > LONGEST_RUNTIME_FOLDER:
        raise ConfigurationError(
            f"The runtime folder {folder} has too long a path for a Unix socket; "
            f"set WORKBENCH_RUNTIME to a path of at most {LONGEST_RUNTIME_FOLDER} characters."
        )
    facts = folder.stat()
    # Under a folder that all may write to, somebody else may have made it first.
    if facts.st_uid != os.getuid() or stat.S_IMODE(facts.st_mode) & 0o077:
        raise ConfigurationError(
            f"The runtime folder {folder} must belong to you and be closed to others; "
            f"run `chmod 700 {folder}`, or set WORKBENCH_RUNTIME to another one."
        )
    return folder


def _runtime_path() -> Path:
    if chosen := os.environ.get("WORKBENCH_RUNTIME"):
        return Path(chosen).expanduser().absolute()
    if shared := os.environ.get("XDG_RUNTIME_DIR"):
        folder = Path(shared) / "workbench"
        if len(os.fsencode(folder)) <= LONGEST_RUNTIME_FOLDER and os.access(shared, os.W_OK):
            return folder
    # Late: it brings archives and compression along.
    import tempfile

    return Path(tempfile.gettempdir()) / f"workbench-{os.getuid()}"


def _made(folder: Path, variable: str) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The folder {folder} cannot be made ({error.strerror}); set {variable} to one that can."
        ) from error
    return folder
