"""The secrets of a test: those that it sets, and those of the machine only if the test allows it."""

from collections.abc import Mapping
from pathlib import Path

from server_core.secrets import SecretStore
from server_core.secrets.store import EnvEntries


class GivenSecrets(SecretStore):
    """Secrets that a test sets.

    Args:
        folder: of the project.
        given: name -> value; may change at any time.
        from_machine: whether other secrets may come from the environment and the project's `.env`.
    """

    def __init__(self, folder: Path, given: Mapping[str, str], *, from_machine: bool) -> None:
        super().__init__(folder)
        self._given = given
        self._from_machine = from_machine

    def get(self, key: str, in_file: EnvEntries | None = None) -> str | None:
        """Return the value of a secret; None if it is not set, or empty."""
        return self._given.get(key) or (super().get(key, in_file) if self._from_machine else None)
