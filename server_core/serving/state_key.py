"""The key of this user that signs the `requestState` of suspended calls; it is stored in a file.

Rule 1: a file with an incomplete key, which a power failure may cause, is written again.
Rule 2: where no key can be stored, a key in memory is used until the process ends, and that is reported.
"""

import logging
import os
from pathlib import Path

from server_core.errors import ConfigurationError

NAME = "state.key"
KEY_BYTES = 32
MAX_BYTES = 4096
"""The maximum size of the file."""

_log = logging.getLogger(__name__)


def key_of_this_user() -> str:
    """Return the key from the data folder, which is created if needed, or else a key for this process only."""
    try:
        return _stored_key()
    except (OSError, ConfigurationError) as error:
        _log.warning(
            "The key for calls that wait for input cannot be stored (%s). Such calls continue while this process runs, "
            "but not after a restart; correct this, or set WORKBENCH_STATE_KEY.",
            error,
        )
        return _new_key()


def _stored_key() -> str:
    from server_core.runtime import private_files
    from server_core.runtime.paths import data_folder

    path = data_folder() / NAME
    if key := _whole_key(path):
        return key
    with private_files.lock_folder(path.parent):
        # Another process may have created it meanwhile.
        if not (key := _whole_key(path)):
            key = _new_key()
            private_files.replace(path, key.encode("ascii"))
    return key


def _whole_key(path: Path) -> str:
    """Return the key in the file; empty when it is missing or incomplete."""
    from server_core.runtime import private_files

    try:
        key = private_files.read(path, MAX_BYTES).decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    return key if len(key) >= 2 * KEY_BYTES else ""


def _new_key() -> str:
    return os.urandom(KEY_BYTES).hex()
