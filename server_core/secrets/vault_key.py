"""The key of the vault: from the environment, else from a file beside the vault that only its owner can read.

Source: RFC 7914; the cost is that of OWASP's password storage guide for scrypt with p = 1.
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
    """A key."""

    secret: bytes = field(repr=False)  # 32 bytes.
    salt: bytes = b""  # That it was derived with; empty for a key from the file.


def key_of(salt: bytes, folder: Path) -> Key:
    """Return a vault's key, from its salt or, if that is empty, a file; ConfigurationError if missing or exposed."""
    if not salt:
        return Key(_read(folder / "key"))
    text = os.environ.get(KEY_VARIABLE, "")
    if not text:
        raise ConfigurationError(
            f"The vault in {folder} was encrypted with a key from the environment; set {KEY_VARIABLE} to that key."
        )
    return _derive(text, salt)


def key_for_writing(folder: Path) -> Key:
    """Return the key for encryption, creating a key file if there is none; the caller holds the vault's lock."""
    if text := os.environ.get(KEY_VARIABLE, ""):
        return _derive(text, _salt_of(text, folder))
    path = folder / "key"
    if not path.exists():
        private_files.replace(path, os.urandom(KEY_BYTES))
    return Key(_read(path))


@lru_cache(1)
def _salt_of(text: str, folder: Path) -> bytes:
    # The same salt for the lifetime of the process, since deriving a key takes a large part of a second.
    return os.urandom(SALT_BYTES)


@lru_cache(4)  # More than one, since the vault on disk may have the salt of another process.
def _derive(text: str, salt: bytes) -> Key:
    secret = hashlib.scrypt(
        text.encode(), salt=salt, n=SCRYPT_N, r=SCRYPT_R, p=SCRYPT_P, maxmem=SCRYPT_MEMORY, dklen=KEY_BYTES
    )
    return Key(secret, salt)


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_mode & 0o077:
            raise ConfigurationError(f"Others can read {path}, the key of your vault; run `chmod 600 {path}`.")
        secret = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"{path}, the key of your vault, cannot be read ({error.strerror}); restore it, "
            "or move the vault beside it away to start a new vault."
        ) from error
    if len(secret) != KEY_BYTES:
        raise ConfigurationError(f"{path} is not a key of a vault; restore the right key, or move both files away.")
    return secret
