"""What tests of the core share: keyrings that take the place of the machine's."""

from collections.abc import Iterator

import keyring
import pytest

from tests.server_core.keyrings import MemoryKeyring, WaitingKeyring


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    """The keyring that this process uses during a test."""
    before, ours = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(ours)
    yield ours
    keyring.set_keyring(before)


@pytest.fixture
def waiting_keyring() -> Iterator[WaitingKeyring]:
    """The keyring that this process uses during a test."""
    before, ours = keyring.get_keyring(), WaitingKeyring()
    keyring.set_keyring(ours)
    yield ours
    ours.unlocked.set()
    keyring.set_keyring(before)
