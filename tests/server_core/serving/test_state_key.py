"""The key of this user: kept in a file, and never waited for."""

import os
from pathlib import Path

import pytest

from server_core.runtime.paths import data_folder
from server_core.serving.state_key import KEY_BYTES, NAME, key_of_this_user


def fill(path: Path, kind: str) -> None:
    """Put something in the place of the key."""
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to(os.devnull)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(b"k" * 1_000_000)


def test_a_key_is_stored() -> None:
    assert key_of_this_user() == key_of_this_user()


@pytest.mark.parametrize("kind", ["huge", "device", "folder", "pipe"])
def test_an_invalid_key_file_blocks_nothing_and_is_reported(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    fill(data_folder() / NAME, kind)
    assert len(key_of_this_user()) == 2 * KEY_BYTES
    assert "The key for calls that wait for input cannot be stored" in caplog.text
