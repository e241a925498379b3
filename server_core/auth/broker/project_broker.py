"""Opens the broker of a project, with its secrets, its settings and the vault of this user."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.auth.broker.broker import Broker
from server_core.auth.broker.grants import NAMESPACE, Grants
from server_core.auth.broker.registrations import ProjectRegistrations, Registrations
from server_core.records.tap import Tap

if TYPE_CHECKING:
    from server_core.secrets.store import SecretStore
    from server_core.secrets.vault import Vault
    from server_core.settings import Settings

MOCK = "mock"


def open_broker(
    folder: Path, secrets: "SecretStore", settings: "Settings", tap: Tap, vault: "Vault | None" = None
) -> Broker:
    """Return the broker of a project.

    Args:
        folder: the folder of the project.
        secrets: its secrets, including the ids and secrets of its OAuth clients.
        settings: whether the mock service replaces all others, and the port of redirect URIs.
        tap: where events are recorded and secrets are masked.
        vault: where tokens are stored; the vault of this user by default.
    """
    if vault is None:
        from server_core.secrets.vault import FileVault

        vault = FileVault()
    registrations: Registrations
    if settings.auth == MOCK:
        from server_core.auth.mock.registrations import MockRegistrations

        registrations, namespace = MockRegistrations(), f"{NAMESPACE}-{MOCK}"
    else:
        registrations = ProjectRegistrations(folder, _masked(secrets, tap), settings.auth_port)
        namespace = NAMESPACE
    return Broker(registrations, Grants(vault, tap.masker, namespace), emit=tap.lifecycle)


def _masked(secrets: "SecretStore", tap: Tap) -> Callable[[Iterable[str]], Awaitable[Mapping[str, str]]]:
    async def values(keys: Iterable[str]) -> Mapping[str, str]:
        values = await secrets.values_unhurried(keys)
        tap.masker.set({key: value for key, value in values.items() if not key.endswith("_CLIENT_ID")})
        return values

    return values
