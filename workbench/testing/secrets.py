"""The secrets of a test: those that it sets, and those of the machine only if the test allows it."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from server_core.secrets import SecretStore


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

    def get(self, key: str) -> str | None:
        """Return the value of a secret; None if it is not set, or empty."""
        return self._given.get(key) or (super().get(key) if self._from_machine else None)

    def values(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the values of those secrets that are set."""
        stored = {key: self.get(key) for key in keys}
        return {key: value for key, value in stored.items() if value is not None}
