"""The grants of services for users' accounts, stored in a vault by account and owner.

Rule 1: every token is registered with the masker before it is used; a token that replaces another replaces it there.
Rule 2: an unreadable entry counts as missing: at worst, the user consents once more.
Rule 3: the vault runs on a thread, since it derives keys and waits for locks and disks; one thread preserves the order.
"""

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from server_core.auth.broker.registrations import Registration
from server_core.oauth.token_store import restore
from server_core.oauth.tokens import expires_soon
from server_core.records.masking import Masker
from server_core.runtime.safe_json import parse_json_or_none
from server_core.runtime.threads import Threads

if TYPE_CHECKING:
    from server_core.secrets.vault import Vault

NAMESPACE = "auth"


@dataclass(frozen=True, slots=True)
class Owner:
    """The user whose account it is."""

    name: str = ""  # Empty for the single user of this machine.
    is_authenticated: bool = False  # By a credential over HTTP.


@dataclass(frozen=True, slots=True)
class AccountGrant:
    """What a service granted. The names of the fields are also those of the stored JSON."""

    client_id: str  # A grant to another client is of no use, so it counts as missing.
    access_token: str = field(repr=False)
    refresh_token: str = field(default="", repr=False)
    expires_at: float = 0.0  # Of the access token, in seconds since the epoch; 0: unknown.
    requested: tuple[str, ...] = ()  # The scopes that the user was asked for.
    granted: tuple[str, ...] = ()  # The scopes in the service's response.
    user_info: dict[str, Any] = field(default_factory=dict, repr=False)  # What the service returns about the user.
    is_refused: bool = False  # Whether the service has rejected the access token since.

    def expires_soon(self, now: float) -> bool:
        """Return whether the access token has expired, is about to, or was rejected."""
        return self.is_refused or expires_soon(self.expires_at, now)

    def covers(self, scopes: Iterable[str]) -> bool:
        """Return whether these scopes were requested; services may grant them under other names."""
        return set(scopes) <= {*self.requested, *self.granted}


class Grants:
    """The grants of one project's users, in a namespace of the vault."""

    def __init__(self, vault: "Vault", masker: Masker, namespace: str = NAMESPACE) -> None:
        self._vault = vault
        self._masker = masker
        self._namespace = namespace
        self._thread = Threads(1)

    async def find(self, registration: Registration, owner: Owner) -> AccountGrant | None:
        """Return the grant of an owner's account, if it was granted to the current client."""
        text = await self._thread.run(partial(self._vault.get, self._namespace, _key(registration, owner)))
        grant = restore(AccountGrant, parse_json_or_none(text or ""))
        if grant is None or grant.client_id != registration.client_id:
            return None
        self.mask(registration, owner, grant)
        return grant

    async def store(self, registration: Registration, owner: Owner, grant: AccountGrant) -> None:
        self.mask(registration, owner, grant)
        text = json.dumps(dataclasses.asdict(grant))
        await self._thread.run(partial(self._vault.set, self._namespace, _key(registration, owner), text))

    async def remove(self, registration: Registration, owner: Owner) -> None:
        await self._thread.run(partial(self._vault.delete, self._namespace, _key(registration, owner)))

    def mask(self, registration: Registration, owner: Owner, grant: AccountGrant) -> None:
        """Register the tokens with the masker; they replace earlier tokens of the same account and owner."""
        account = registration.account
        tokens = {f"{account} token": grant.access_token, f"{account} refresh token": grant.refresh_token}
        self._masker.renew((account, owner), tokens)


def _key(registration: Registration, owner: Owner) -> str:
    return json.dumps([registration.account, owner.name, owner.is_authenticated])
