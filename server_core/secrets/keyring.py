"""Secrets in the keyring of the operating system, where the package `keyring` is installed.

The package is imported only to read a value that is known to be there, or to store a value.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from server_core.errors import ConfigurationError

T = TypeVar("T")


class KeyringVault:
    """Stores values in the keyring; see :class:`server_core.secrets.vault.Vault`."""

    def get(self, namespace: str, key: str) -> str | None:
        """Return the stored value; None when there is none.

        Raises:
            ConfigurationError: when there is no keyring, or it stays locked.
        """
        value: str | None = _call_keyring(lambda keyring: keyring.get_password(_service(namespace), key))
        return value

    def set(self, namespace: str, key: str, value: str) -> None:
        """Store a value.

        Raises:
            ConfigurationError: when there is no keyring, or it refuses the value.
        """
        _call_keyring(lambda keyring: keyring.set_password(_service(namespace), key, value))

    def delete(self, namespace: str, key: str) -> None:
        """Remove a value, if there is any.

        Raises:
            ConfigurationError: when there is no keyring, or it stays locked.
        """
        if self.get(namespace, key) is not None:
            _call_keyring(lambda keyring: keyring.delete_password(_service(namespace), key))


def _service(namespace: str) -> str:
    return f"workbench {namespace}"


def _call_keyring(operation: Callable[[Any], T]) -> T:
    try:
        import keyring
        import keyring.errors
    except ImportError:
        raise ConfigurationError(
            "Secrets in the keyring need the package keyring; run `pip install 'mcp-tool-workbench[keyring]'`."
        ) from None
    try:
        return operation(keyring)
    except keyring.errors.KeyringError as error:
        # The message comes from a backend, and may hold values.
        raise ConfigurationError(
            f"The keyring of this machine does not respond ({type(error).__name__}); unlock it or set one up, "
            "or store the secret with --store vault."
        ) from error
