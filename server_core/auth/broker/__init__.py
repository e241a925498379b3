"""Gets tokens for the accounts that tools require, on this machine, without a service of ours.

`registrations` has the OAuth clients, `consents` asks for consent in a browser, `device` without a browser, `service`
sends the requests to a service, `account_grants` stores what it granted, `account_tokens` renews it, and `broker` leads
from a requirement to a token.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.auth.broker.broker import Broker
    from server_core.auth.broker.registrations import Registrations
    from server_core.records.tap import Tap
    from server_core.secrets.secret_store import SecretStore
    from server_core.secrets.vault import Vault
    from server_core.settings import Settings

MOCK = "mock"
"""The value of the setting `auth` with which the mock service replaces all others."""


def open_broker(
    folder: Path, secrets: "SecretStore", settings: "Settings", tap: "Tap", vault: "Vault | None" = None
) -> "Broker":
    """Return the broker of a project; its tokens are stored in the vault of this user by default."""
    from server_core.auth.broker.account_grants import NAMESPACE, Grants
    from server_core.auth.broker.broker import Broker
    from server_core.auth.broker.registrations import MockRegistrations, ProjectRegistrations

    if vault is None:
        from server_core.secrets.vault import FileVault

        vault = FileVault()
    registrations: Registrations
    if settings.auth == MOCK:
        # A separate namespace, so that tokens of the mock service do not replace those of the real services.
        registrations, namespace = MockRegistrations(), f"{NAMESPACE}-{MOCK}"
    else:
        registrations = ProjectRegistrations(folder, _masked_values(secrets, tap), settings.auth_port)
        namespace = NAMESPACE
    return Broker(registrations, Grants(vault, tap.masker, namespace), emit=tap.emit_event)


def _masked_values(secrets: "SecretStore", tap: "Tap") -> Callable[[Iterable[str]], Awaitable[Mapping[str, str]]]:
    """Return a function that reads secrets, and has them masked in records before they are used."""

    async def values(keys: Iterable[str]) -> Mapping[str, str]:
        values = await secrets.values_async(keys)
        tap.masker.set({key: value for key, value in values.items() if not key.endswith("_CLIENT_ID")})
        return values

    return values
