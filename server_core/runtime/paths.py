"""Paths on this machine: captures, sockets and descriptors of cores, and the root of a project.

Each folder is created on first use, accessible to its owner only. The runtime folder needs nothing but the standard
library, because a terminal asks for it before it has imported anything else.
"""

import os
import stat
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.runtime.console import write

# A Unix socket's path may have 103 characters on macOS and 107 on Linux; a name in the folder needs up to 40.
LONGEST_RUNTIME_FOLDER = 63
CURRENT_FOLDER_REMOVED = "the current folder was removed; change to another, or give the project's absolute path"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_ROOT = 0


def current_folder() -> Path | None:
    """Return the current folder of this process; None if it has been removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def project_root(folder: Path) -> Path | None:
    """Return the nearest folder, from this one upwards, that contains a pyproject.toml."""
    folders = (folder, *folder.parents)
    return next((candidate for candidate in folders if (candidate / "pyproject.toml").is_file()), None)


def data_folder() -> Path:
    """Return the folder for persistent data: `WORKBENCH_HOME`, else the user's data folder.

    If it is ours and others can write to it, their access is removed, which is reported. Raises ConfigurationError when
    it cannot be created, or others can still write to it.
    """
    folder = _create_folder(data_path(), "WORKBENCH_HOME")
    _check_data_folder(folder)
    return folder


def captures_folder() -> Path:
    """Return the folder of the captures; errors as in :func:`data_folder`."""
    return _create_folder(data_folder() / "captures", "WORKBENCH_HOME")


def indexes_folder() -> Path:
    """Return the folder for what can be computed again from captures; it is created when it is missing."""
    return _create_folder(data_folder() / "indexes", "WORKBENCH_HOME")


def reports_folder() -> Path:
    """Return the folder of the reports of terminals that have failed; errors as in :func:`data_folder`."""
    return _create_folder(data_folder() / "reports", "WORKBENCH_HOME")


def config_file() -> Path:
    """Return the path of the terminal's configuration: in `WORKBENCH_HOME`, else in the user's configuration folder."""
    if chosen := os.environ.get("WORKBENCH_HOME"):
        return Path(chosen).expanduser().absolute() / "config.toml"
    import platformdirs

    return platformdirs.user_config_path("workbench", appauthor=False) / "config.toml"


def runtime_folder() -> Path:
    """Return the folder for sockets and descriptors of running cores: a short path, accessible to its owner only.

    It is `WORKBENCH_RUNTIME`, else `workbench` in `XDG_RUNTIME_DIR`, else in the folder for temporary files. Raises
    ConfigurationError when it cannot be created, is not ours alone, or has too long a path for a socket.
    """
    folder = _create_folder(_runtime_path(), "WORKBENCH_RUNTIME")
    if len(os.fsencode(folder)) > LONGEST_RUNTIME_FOLDER:
        raise ConfigurationError(
            f"The path of the runtime folder {folder} is too long for a Unix socket; "
            f"set WORKBENCH_RUNTIME to a path of at most {LONGEST_RUNTIME_FOLDER} characters."
        )
    _restrict_to_owner(folder)
    return folder


def _runtime_path() -> Path:
    if chosen := os.environ.get("WORKBENCH_RUNTIME"):
        return Path(chosen).expanduser().absolute()
    if shared := os.environ.get("XDG_RUNTIME_DIR"):
        folder = Path(shared) / "workbench"
        if len(os.fsencode(folder)) <= LONGEST_RUNTIME_FOLDER and os.access(shared, os.W_OK):
            return folder
    # Imported late: it imports the archive and compression modules.
    import tempfile

    return Path(tempfile.gettempdir()) / f"workbench-{os.getuid()}"


def data_path() -> Path:
    """Return the path of :func:`data_folder`, which is neither created nor checked."""
    if chosen := os.environ.get("WORKBENCH_HOME"):
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return platformdirs.user_data_path("workbench", appauthor=False)


def _check_data_folder(folder: Path) -> None:
    """Check that no other user can write keys, secrets or captures to a folder."""
    if folder.lstat().st_uid not in {os.getuid(), _ROOT} and folder.is_symlink():
        raise ConfigurationError(
            f"The data folder {folder} is a link that was created by another user; "
            "set WORKBENCH_HOME to a folder of your own."
        )
    facts = folder.stat()
    is_ours = facts.st_uid == os.getuid() and not facts.st_mode & stat.S_ISVTX
    if is_ours and facts.st_mode & _OTHERS_WRITE:
        folder.chmod(0o700)
        write(f"workbench: others could write to the data folder {folder}; it is now restricted to you.")
    elif facts.st_mode & stat.S_IWOTH:
        raise ConfigurationError(
            f"All users can write to the data folder {folder}; set WORKBENCH_HOME to a folder of your own."
        )


def _restrict_to_owner(folder: Path) -> None:
    """Remove the access of other users to a folder; refuse it if they may have written to it."""
    facts = folder.stat()
    # In a world-writable folder, another user may have created it first, or a link to another folder of ours.
    if {facts.st_uid, folder.lstat().st_uid} != {os.getuid()}:
        raise ConfigurationError(
            f"The runtime folder {folder} must belong to you alone; set WORKBENCH_RUNTIME to another folder."
        )
    mode = stat.S_IMODE(facts.st_mode)
    if mode & _OTHERS_WRITE:
        # Its contents may be theirs. A sticky bit means that the folder is shared on purpose, as /tmp is.
        or_chmod = "" if mode & stat.S_ISVTX else f", or run `chmod 700 {folder}` if no other user needs it"
        raise ConfigurationError(
            f"Others can write to the runtime folder {folder}; set WORKBENCH_RUNTIME to a folder of your own{or_chmod}."
        )
    if mode & 0o077:
        folder.chmod(0o700)


def _create_folder(folder: Path, variable: str) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The folder {folder} cannot be created ({error.strerror}); set {variable} to another folder."
        ) from error
    return folder
