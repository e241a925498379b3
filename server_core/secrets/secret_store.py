"""The secrets of a project: read from the environment, `.env`, the keyring and the vault, in this order.

Rule 1: the first place with a value wins; an empty value counts as missing.
Rule 2: an exact match of the name is preferred, then a match regardless of case.
Rule 3: reserved names are never returned.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from server_core.errors import ConfigurationError
from server_core.runtime import env_file
from server_core.secrets import secret_names
from server_core.secrets.register import Register, RegisterEntry, Store

if TYPE_CHECKING:
    from server_core.runtime.threads import Threads
    from server_core.secrets.vault import Vault

Origin: TypeAlias = Literal["environment", ".env", "keyring", "vault", "missing"]
Place: TypeAlias = Literal["env-file", "keyring", "vault"]
"""A place where a value can be stored."""
PLACES: tuple[Place, ...] = ("env-file", "keyring", "vault")

EnvEntries: TypeAlias = Callable[[], Mapping[str, str]]
"""Returns the entries of `.env`; raises ConfigurationError when it cannot be read."""

NAMESPACE = "secret"
MAX_THREADS = 4


@dataclass(frozen=True)
class SecretStatus:
    """Whether a secret is set; never its value."""

    key: str
    is_set: bool  # To a value that is not empty.
    source: Origin
    path: str  # The `.env` file that holds it, or would hold it.
    owner: str = ""  # The folder of the other project that owns the value; empty when this project owns it.
    readers: tuple[str, ...] = ()  # The folders of the other projects that may read it.


class SecretStore:
    """The secrets of a project, `.env` being at or above its folder, up to a pyproject.toml.

    Its methods raise `ConfigurationError` where a place that may hold a value cannot be read or written.
    """

    def __init__(self, project_folder: Path) -> None:
        self._folder = project_folder.resolve()
        self._folders: tuple[Path, ...] = ()
        self._register = Register()
        self._vaults: dict[Store, Vault] = {}
        self._env_lock = threading.Lock()
        self._stamp: tuple[Path, int, int] | None = None
        self._values: dict[str, str] = {}

    @property
    def path(self) -> Path:
        """The path of the `.env` file, which may not exist yet."""
        return env_file.find_in_folders(self._search_folders())

    @property
    def project(self) -> str:
        """The folder that identifies the project in grants."""
        return str(self._search_folders()[-1])

    def forget_folders(self) -> None:
        """Determine the root of the project again before the next look-up; called for each generation."""
        self._folders = ()

    def get(self, key: str, env_entries: EnvEntries | None = None) -> str | None:
        """Return a secret's value, None if unset or empty; `env_entries` returns `.env` where several are read."""
        if secret_names.is_reserved(key):
            return None
        env_entries = env_entries or self._env_entries
        return _look_up(key, os.environ) or _look_up(key, env_entries()) or self._stored_value(key)

    def values(self, keys: Iterable[str]) -> dict[str, str]:
        return self._values_of(keys, cache(self._env_entries))

    async def values_async(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the same as :meth:`values` without blocking the event loop, since a keyring may wait for the user."""
        keys = tuple(keys)
        env_entries = cache(self._env_entries)  # Checked for a change once a call, not twice a key.
        if all(self._is_readable_now(key, env_entries) for key in keys):
            return self._values_of(keys, env_entries)
        return await self._threads.run(partial(self._values_of, keys, env_entries))

    def is_readable_now(self, key: str) -> bool:
        """Return whether a secret can be read without the keyring and the vault, which may have to be unlocked."""
        return self._is_readable_now(key, self._env_entries)

    def status(self, keys: Iterable[str]) -> list[SecretStatus]:
        return [self._status(key) for key in keys]

    def readable_keys(self) -> frozenset[str]:
        """Return the names of the secrets in `.env`, the keyring and the vault that this project may read."""
        stored_keys = {entry.key for entry in self._register.readable(self.project)}
        return frozenset(key for key in {*self._env_entries(), *stored_keys} if not secret_names.is_reserved(key))

    def credentials(self) -> dict[str, str]:
        """Return the values of the server's own credentials, to be masked; no tool may read them."""
        env_entries = cache(self._env_entries)
        values = {key: os.environ.get(key) or env_entries().get(key) for key in secret_names.CREDENTIALS}
        return {key: value for key, value in values.items() if value}

    def is_stored(self, key: str) -> bool:
        """Return whether the keyring or the vault holds a secret for this project, without unlocking them."""
        return next(self._register_entries(key), None) is not None

    def set(self, key: str, value: str, place: Place = "env-file") -> None:
        """Store a value, in keyring or vault but not both; ConfigurationError too if another place has precedence."""
        secret_names.check_name(key)
        if not value:
            raise ConfigurationError(f"The value of {key} is empty; give a value, or unset the secret.")
        if "\0" in value:
            raise ConfigurationError(f"The value of {key} contains a zero byte, which no environment can contain.")
        self._check_environment(key, "so a value stored elsewhere would have no effect; change it there")
        if place == "env-file":
            self._put(key, value)
            return
        if self._env_entries().get(key):
            raise ConfigurationError(f"{key} is set in {self.path}, which has precedence; remove it there first.")
        entry = RegisterEntry(key, self.project, place)
        self._vault(place).set(NAMESPACE, entry.store_key, value)
        self._register.add(entry)
        for other in self._register.owned(self.project, key):
            if other.store != place:
                self._remove(other)

    def unset(self, key: str, place: Place | None = None) -> tuple[Place, ...]:
        """Remove a value from a place, or all, and return which; ConfigurationError too if the environment has it."""
        secret_names.check_name(key)
        self._check_environment(key, "so it cannot be unset from here; unset it there")
        holders: list[Place] = []
        if place in (None, "env-file") and key in self._env_entries():
            self._put(key, None)
            holders.append("env-file")
        for entry in self._register.owned(self.project, key):
            if place in (None, entry.store):
                self._remove(entry)
                holders.append(entry.store)
        return tuple(holders)

    def grant(self, key: str, reader: Path) -> None:
        """Let another project read a secret of this in keyring or vault; ConfigurationError too if neither has it."""
        self._set_reader(key, reader, may_read=True)

    def revoke(self, key: str, reader: Path) -> None:
        """Revoke what :meth:`grant` has granted."""
        self._set_reader(key, reader, may_read=False)

    @cached_property
    def _threads(self) -> "Threads":
        from server_core.runtime.threads import Threads

        return Threads(MAX_THREADS)

    def _set_reader(self, key: str, reader: Path, *, may_read: bool) -> None:
        secret_names.check_name(key)
        other = str(env_file.root_of(reader))
        if other == self.project:
            raise ConfigurationError(f"{other} is the project that {key} belongs to; name another project.")
        if not self._register.set_reader(self.project, key, other, may_read=may_read):
            raise ConfigurationError(
                f"{key} of {self.project} is neither in the keyring nor in the vault, and only these can be shared; "
                f"run `workbench secret set {key} --store vault`."
            )

    def _search_folders(self) -> tuple[Path, ...]:
        if not (folders := self._folders):
            self._folders = folders = env_file.search_folders(self._folder)
        return folders

    def _values_of(self, keys: Iterable[str], env_entries: EnvEntries) -> dict[str, str]:
        values = {key: self.get(key, env_entries) for key in keys}
        return {key: value for key, value in values.items() if value is not None}

    def _is_readable_now(self, key: str, env_entries: EnvEntries) -> bool:
        if secret_names.is_reserved(key) or _look_up(key, os.environ) or _look_up(key, env_entries()):
            return True
        return not self.is_stored(key)

    def _status(self, key: str) -> SecretStatus:
        path = str(self.path)
        if secret_names.is_reserved(key):
            return SecretStatus(key, False, "missing", path)
        if _look_up(key, os.environ):
            return SecretStatus(key, True, "environment", path)
        if _look_up(key, self._env_entries()):
            return SecretStatus(key, True, ".env", path)
        entry = next(self._register_entries(key), None)
        if entry is None:
            return SecretStatus(key, False, "missing", path)
        return SecretStatus(
            key, True, entry.store, path, "" if entry.owner == self.project else entry.owner, entry.readers
        )

    def _register_entries(self, key: str) -> Iterator[RegisterEntry]:
        readable = self._register.readable(self.project)
        yield from (entry for entry in readable if entry.key == key)
        yield from (entry for entry in readable if entry.key != key and entry.key.upper() == key.upper())

    def _stored_value(self, key: str) -> str | None:
        for entry in self._register_entries(key):
            if value := self._vault(entry.store).get(NAMESPACE, entry.store_key):
                return value
        return None

    def _vault(self, store: Store) -> "Vault":
        if store not in self._vaults:
            self._vaults[store] = _open_vault(store)
        return self._vaults[store]

    def _remove(self, entry: RegisterEntry) -> None:
        self._vault(entry.store).delete(NAMESPACE, entry.store_key)
        self._register.remove(entry)

    def _check_environment(self, key: str, consequence: str) -> None:
        if os.environ.get(key):
            raise ConfigurationError(f"{key} is set in the environment of the server, {consequence}.")

    def _env_entries(self) -> Mapping[str, str]:
        path = self.path
        try:
            stat = path.stat()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be read: {error.strerror}; correct its permissions.") from error
        stamp = (path, stat.st_mtime_ns, stat.st_size)
        if stamp != self._stamp:
            self._values = {key: entry.value for key, entry in env_file.read_entries(path).items()}
            self._stamp = stamp
        return self._values

    def _put(self, key: str, value: str | None) -> None:
        with self._env_lock:
            env_file.set_entry(self.path, key, value)
            self._stamp = None  # Two writes within the resolution of the clock may have equal stamps.


def _look_up(key: str, values: Mapping[str, str]) -> str | None:
    """Return the value of a name, regardless of case; None when it is empty or missing."""
    if value := values.get(key):
        return value
    wanted = key.upper()
    return next((value for name, value in values.items() if value and name.upper() == wanted), None)


def _open_vault(store: Store) -> "Vault":
    # Here, since few projects store secrets in a vault.
    from server_core.secrets.vault import FileVault, KeyringVault

    return KeyringVault() if store == "keyring" else FileVault()
