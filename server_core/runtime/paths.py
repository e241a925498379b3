"""Where things lie on this machine: captures, sockets, descriptors; and where a project begins.

Every folder of ours is made when it is first asked for, for its owner alone. The runtime folder is found with the
standard library alone, because a terminal asks for it before it has imported anything else.
"""

import os
import stat
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.runtime.console import write

# A Unix socket's path may have 103 characters on macOS and 107 on Linux; a name in the folder needs up to 40.
LONGEST_RUNTIME_FOLDER = 63
CURRENT_FOLDER_REMOVED = "the current folder has been removed; change to another, or give the project's absolute path"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_ROOT = 0


def current_folder() -> Path | None:
    """Return the folder that this process runs in; None where it has been removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def project_root(folder: Path) -> Path | None:
    """Return the nearest folder, from this one upwards, that holds a pyproject.toml."""
    return next((one for one in (folder, *folder.parents) if (one / "pyproject.toml").is_file()), None)


def data_folder() -> Path:
    """Return the folder for what is kept: `WORKBENCH_HOME`, else the user's data folder.

    A folder of ours that others may write to is closed to them, which is reported.

    Raises:
        ConfigurationError: when it cannot be made, or others can put there what they like.
    """
    folder = _made(_data_path(), "WORKBENCH_HOME")
    _check_data_folder(folder)
    return folder


def captures_folder() -> Path:
    """Return the folder of the captures.

    Raises:
        ConfigurationError: when it cannot be made.
    """
    return _made(data_folder() / "captures", "WORKBENCH_HOME")


def reports_folder() -> Path:
    """Return the folder of the reports of terminals that have failed.

    Raises:
        ConfigurationError: when it cannot be made.
    """
    return _made(data_folder() / "reports", "WORKBENCH_HOME")


def runtime_folder() -> Path:
    """Return the folder for sockets and descriptors of running cores, a short path that only its owner may enter.

    It is `WORKBENCH_RUNTIME`, else `workbench` in `XDG_RUNTIME_DIR`, else one of the user's own under the folder
    for temporary files.

    Raises:
        ConfigurationError: when it cannot be made, is not ours alone, or has too long a path for a socket.
    """
    folder = _made(_runtime_path(), "WORKBENCH_RUNTIME")
    if len(os.fsencode(folder)) > LONGEST_RUNTIME_FOLDER:
        raise ConfigurationError(
            f"The runtime folder {folder} has too long a path for a Unix socket; "
            f"set WORKBENCH_RUNTIME to a path of at most {LONGEST_RUNTIME_FOLDER} characters."
        )
    _close_to_others(folder)
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


def _data_path() -> Path:
    if chosen := os.environ.get("WORKBENCH_HOME"):
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return platformdirs.user_data_path("workbench", appauthor=False)


def _check_data_folder(folder: Path) -> None:
    """Make sure that nobody else can put keys, secrets or captures into a folder."""
    if folder.lstat().st_uid not in {os.getuid(), _ROOT} and folder.is_symlink():
        raise ConfigurationError(
            f"The data folder {folder} is a link that somebody else has made; "
            "set WORKBENCH_HOME to a folder of your own."
        )
    facts = folder.stat()
    is_ours = facts.st_uid == os.getuid() and not facts.st_mode & stat.S_ISVTX
    if is_ours and facts.st_mode & _OTHERS_WRITE:
        folder.chmod(0o700)
        write(f"workbench: others could write to the data folder {folder}; now only you can open it.")
    elif facts.st_mode & stat.S_IWOTH:
        raise ConfigurationError(
            f"Everybody may write to the data folder {folder}; set WORKBENCH_HOME to a folder of your own."
        )


def _close_to_others(folder: Path) -> None:
    """Let nobody but us enter a folder, which others could do until now only to look."""
    facts = folder.stat()
    # Under a folder that all may write to, somebody else may have made it first, or a link to another folder of ours.
    if {facts.st_uid, folder.lstat().st_uid} != {os.getuid()}:
        raise ConfigurationError(
            f"The runtime folder {folder} must belong to you alone; set WORKBENCH_RUNTIME to one that does."
        )
    mode = stat.S_IMODE(facts.st_mode)
    if mode & _OTHERS_WRITE:
        # What lies in it may be theirs. With the sticky bit it is shared on purpose, as /tmp is, and has to stay open.
        close_it = "" if mode & stat.S_ISVTX else f", or run `chmod 700 {folder}` if nobody else uses it"
        raise ConfigurationError(
            f"Others may write to the runtime folder {folder}; set WORKBENCH_RUNTIME to a folder of your own{close_it}."
        )
    if mode & 0o077:
        folder.chmod(0o700)


def _made(folder: Path, variable: str) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The folder {folder} cannot be made ({error.strerror}); set {variable} to one that can."
        ) from error
    return folder
