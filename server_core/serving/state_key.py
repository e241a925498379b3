"""The key of this user that signs what waiting calls leave with their clients; it outlives the process.

Rule 1: a file that holds no whole key, as a power cut may leave one, is written anew.
Rule 2: where no key can be kept, one in memory serves for as long as the process lives, and that is reported.
"""

import logging
import os
from pathlib import Path

from server_core.errors import ConfigurationError

NAME = "state.key"
KEY_BYTES = 32
MOST_BYTES = 4096
"""How large the file may be."""

_log = logging.getLogger(__name__)


def key_of_this_user() -> str:
    """Return the key from the data folder, made when there is none, or one for this process alone."""
    try:
        return _stored_key()
    except (OSError, ConfigurationError) as error:
        _log.warning(
            "No key for calls that wait for input can be kept (%s). Such calls can continue while this process runs, "
            "and not after a restart; correct that, or set WORKBENCH_STATE_KEY.",
            error,
        )
        return _new_key()


def _stored_key() -> str:
    from server_core.runtime import private_files
    from server_core.runtime.paths import data_folder

    path = data_folder() / NAME
    if key := _whole_key(path):
        return key
    with private_files.exclusive(path.parent):
        # Another process may have made it meanwhile.
        if not (key := _whole_key(path)):
            key = _new_key()
            private_files.replace(path, key.encode("ascii"))
    return key


def _whole_key(path: Path) -> str:
    """The key in the file; empty when there is no whole one."""
    from server_core.runtime import private_files

    try:
        key = private_files.read(path, MOST_BYTES).decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    return key if len(key) >= 2 * KEY_BYTES else ""


def _new_key() -> str:
    return os.urandom(KEY_BYTES).hex()
