"""Keyrings of tests: one in memory, and one that waits for a person."""

import threading

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from tests.waiting import LIMIT


class MemoryKeyring(KeyringBackend):
    """Keeps passwords as long as a test runs."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.stored: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.stored.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.stored[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.stored.pop((service, username), None) is None:
            raise PasswordDeleteError(username)


class WaitingKeyring(MemoryKeyring):
    """A keyring that waits for a person."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.unlocked = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.asked.set()
        assert self.unlocked.wait(LIMIT)
        return super().get_password(service, username)
