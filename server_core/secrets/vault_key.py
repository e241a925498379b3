"""The key of the vault: from the environment, else from a file beside the vault that only its owner can read.

Source: RFC 7914; the cost is what OWASP's password storage guide asks of scrypt for p = 1.
"""

import hashlib
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.runtime import private_files

KEY_VARIABLE = "WORKBENCH_SECRETS_KEY"
KEY_BYTES = 32
SALT_BYTES = 16
SCRYPT_N, SCRYPT_R, SCRYPT_P = 2**17, 8, 1
SCRYPT_MEMORY = 2 * 128 * SCRYPT_N * SCRYPT_R


@dataclass(frozen=True, slots=True)
class Key:
    """A key.

    Attributes:
        secret: 32 bytes.
        salt: what it was derived with; empty for the key in the file.
    """

    secret: bytes = field(repr=False)
    salt: bytes = b""


def key_of(salt: bytes, folder: Path) -> Key:
    """Return the key of a vault that is there.

    Args:
        salt: as the vault says; empty when its key lies in a file.
        folder: where that file lies.

    Raises:
        ConfigurationError: when the key is not there, or others may read it.
    """
    if not salt:
        return Key(_read(folder / "key"))
    text = os.environ.get(KEY_VARIABLE, "")
    if not text:
        raise ConfigurationError(
            f"The vault in {folder} was closed with a key from the environment; set {KEY_VARIABLE} to it."
        )
    return _derived(text, salt)


def key_to_write_with(folder: Path) -> Key:
    """Return the key that the vault is closed with from now on; one is made when there is none yet.

    Args:
        folder: where the file of the key lies; nobody else may be writing there.

    Raises:
        ConfigurationError: when the key cannot be read, or others may read it.
        OSError: when it cannot be written.
    """
    if text := os.environ.get(KEY_VARIABLE, ""):
        return _derived(text, _salt_of(text, folder))
    path = folder / "key"
    if not path.exists():
        private_files.replace(path, os.urandom(KEY_BYTES))
    return Key(_read(path))


@lru_cache(1)
def _salt_of(text: str, folder: Path) -> bytes:
    # One for as long as the process lives: deriving a key takes a good part of a second.
    return os.urandom(SALT_BYTES)


@lru_cache(4)
def _derived(text: str, salt: bytes) -> Key:
    secret = hashlib.scrypt(
        text.encode(), salt=salt, n=SCRYPT_N, r=SCRYPT_R, p=SCRYPT_P, maxmem=SCRYPT_MEMORY, dklen=KEY_BYTES
    )
    return Key(secret, salt)


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_mode & 0o077:
            raise ConfigurationError(f"Others may read {path}, the key of your vault; run `chmod 600 {path}`.")
        secret = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"{path}, the key of your vault, cannot be read ({error.strerror}); bring it back, "
            "or move the vault beside it away to begin anew."
        ) from error
    if len(secret) != KEY_BYTES:
        raise ConfigurationError(f"{path} is no key of a vault; bring the right one back, or move both files away.")
    return secret
