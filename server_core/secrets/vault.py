"""Vaults, which store values that no other user can read: an encrypted file, the keyring, and memory.

Rule 1: a file is encrypted as a whole, including names, with AES-256-GCM and a new nonce at each write.
Rule 2: the key is derived from `WORKBENCH_SECRETS_KEY` if that is set; else it is in a file beside the vault that only
its owner can read. A key file protects a vault that was copied without it, for example in a backup, but not against
programs that run as the same user; a key in the environment does, as far as they cannot read it.
Rule 3: the file is replaced atomically, under a lock.

Source: NIST SP 800-38D (GCM), RFC 7914 (scrypt).
"""

import base64
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from server_core.errors import ConfigurationError
from server_core.runtime import paths, private_files
from server_core.runtime.safe_json import parse_json
from server_core.secrets.vault_key import KEY_VARIABLE, Key, key_for_writing, key_of

FORMAT = 1
LONGEST_FILE = 16 * 1024 * 1024
NONCE_BYTES = 12

T = TypeVar("T")

Contents: TypeAlias = dict[str, dict[str, str]]
"""Namespace -> key -> value."""
Change: TypeAlias = Callable[[dict[str, str]], object]
"""Modifies the values of a namespace, by key."""


class Vault(Protocol):
    """Stores values; raises `ConfigurationError` where it cannot be read or written, with the remedy."""

    def get(self, namespace: str, key: str) -> str | None:
        """Return the stored value; None when there is none."""
        ...

    def set(self, namespace: str, key: str, value: str) -> None: ...

    def delete(self, namespace: str, key: str) -> None:
        """Remove a value, if there is any."""
        ...


class MemoryVault:
    """Stores values as long as the process runs."""

    def __init__(self) -> None:
        self._contents: Contents = {}

    def get(self, namespace: str, key: str) -> str | None:
        return self._contents.get(namespace, {}).get(key)

    def set(self, namespace: str, key: str, value: str) -> None:
        self._contents.setdefault(namespace, {})[key] = value

    def delete(self, namespace: str, key: str) -> None:
        self._contents.get(namespace, {}).pop(key, None)

    def update(self, namespace: str, change: Change) -> None:
        change(self._contents.setdefault(namespace, {}))


class FileVault:
    """Stores values in an encrypted file, in `secrets` in the data folder or another folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self._custom_folder = folder
        self._lock = threading.Lock()
        self._stamp: tuple[int, ...] | None = None
        self._contents: Contents = {}

    @property
    def path(self) -> Path:
        return self._folder / "vault"

    def get(self, namespace: str, key: str) -> str | None:
        with self._lock:
            return self._read().get(namespace, {}).get(key)

    def set(self, namespace: str, key: str, value: str) -> None:
        self.update(namespace, lambda values: values.update({key: value}))

    def delete(self, namespace: str, key: str) -> None:
        # Read first, so that no vault and no key are created for a value that does not exist.
        if self.get(namespace, key) is not None:
            self.update(namespace, lambda values: values.pop(key, None))

    @property
    def _folder(self) -> Path:
        return self._custom_folder or paths.data_folder() / "secrets"

    def update(self, namespace: str, change: Change) -> None:
        """Change the values of a namespace, while no other process does."""
        try:
            with self._lock, private_files.lock_private_folder(self._folder):
                contents = {name: dict(values) for name, values in self._read().items()}
                change(contents.setdefault(namespace, {}))
                private_files.replace(self.path, _encrypt(contents, key_for_writing(self._folder)))
                self._stamp = None  # Two writes within the resolution of the clock may have equal stamps.
        except OSError as error:
            raise ConfigurationError(
                f"Secrets cannot be stored in {self.path} ({error.strerror}); "
                f"{private_files.advice(error, 'set WORKBENCH_HOME to a folder of yours')}."
            ) from error

    def _read(self) -> Contents:
        try:
            stat = os.stat(self.path)
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            if stamp != self._stamp:
                with self.path.open("rb") as file:
                    self._contents = self._decrypt(file.read(LONGEST_FILE))
                self._stamp = stamp
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigurationError(
                f"{self.path} cannot be read ({error.strerror}); correct its permissions."
            ) from error
        return self._contents

    def _decrypt(self, data: bytes) -> Contents:
        # Here, since the library takes long to import, and most servers read no vault.
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        document = _document(data)
        if document is None:
            raise ConfigurationError(f"{self.path} is not a vault of a known format; move it away to start a new one.")
        key = key_of(document["salt"], self._folder)
        try:
            text = AESGCM(key.secret).decrypt(document["nonce"], document["sealed"], _associated(key))
        except InvalidTag:
            which = f"the key in {KEY_VARIABLE}" if key.salt else "the key file beside it"
            raise ConfigurationError(
                f"{self.path} cannot be decrypted: {which} is not the key that it was encrypted with, or the vault is "
                "damaged; restore the right key, or move the vault away to start a new vault."
            ) from None
        contents: Contents = json.loads(text)
        return contents


class KeyringVault:
    """Stores values with `keyring`, if installed, which is imported only to read one known to be there, or to store."""

    def get(self, namespace: str, key: str) -> str | None:
        value: str | None = _call_keyring(lambda keyring: keyring.get_password(_service(namespace), key))
        return value

    def set(self, namespace: str, key: str, value: str) -> None:
        _call_keyring(lambda keyring: keyring.set_password(_service(namespace), key, value))

    def delete(self, namespace: str, key: str) -> None:
        if self.get(namespace, key) is not None:
            _call_keyring(lambda keyring: keyring.delete_password(_service(namespace), key))


def _encrypt(contents: Contents, key: Key) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(NONCE_BYTES)
    sealed = AESGCM(key.secret).encrypt(nonce, json.dumps(contents).encode(), _associated(key))
    binary = {"salt": key.salt, "nonce": nonce, "sealed": sealed}
    texts = {name: base64.b64encode(value).decode("ascii") for name, value in binary.items()}
    return json.dumps({"format": FORMAT, **texts}).encode()


def _document(data: bytes) -> dict[str, bytes] | None:
    """Return the members of the file as bytes; None when it is not a vault."""
    try:
        document: Any = parse_json(data)
        if document["format"] != FORMAT:
            return None
        return {name: base64.b64decode(document[name], validate=True) for name in ("salt", "nonce", "sealed")}
    except (ValueError, KeyError, TypeError):
        return None


def _associated(key: Key) -> bytes:
    """Return the associated data: the plain-text members that are authenticated."""
    return b"workbench vault %d " % FORMAT + key.salt


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
