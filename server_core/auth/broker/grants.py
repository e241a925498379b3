"""The grants of services for users' accounts, stored in a vault by account and owner.

Rule 1: every token is registered with the masker before it is used; a token that replaces another replaces it there.
Rule 2: an unreadable entry counts as missing: at worst, the user consents once more.
Rule 3: the vault runs on a thread, since it derives keys and waits for locks and disks; one thread preserves the order.
"""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from server_core.auth.broker.registrations import Registration
from server_core.oauth.tokens import EARLY_SECONDS
from server_core.records.masking import Masker
from server_core.runtime.safe_json import parse_json_or_none
from server_core.runtime.threads import Threads

if TYPE_CHECKING:
    from server_core.secrets.vault import Vault

NAMESPACE = "auth"


@dataclass(frozen=True, slots=True)
class Owner:
    """The user whose account it is.

    Attributes:
        name: their name; empty for the single user of this machine.
        is_authenticated: whether they were authenticated by a credential over HTTP.
    """

    name: str = ""
    is_authenticated: bool = False


@dataclass(frozen=True, slots=True)
class AccountGrant:
    """What a service granted.

    Attributes:
        client_id: the client that it was granted to.
        access_token: the token for requests.
        refresh_token: the token for renewal; empty if there is none.
        expires_at: when the access token expires, in seconds since the epoch; 0: unknown.
        requested: the scopes that the user was asked for.
        granted: the scopes in the service's response.
        user_info: what the service returns about the user.
        is_refused: whether the service has rejected the access token since.
    """

    client_id: str
    access_token: str = field(repr=False)
    refresh_token: str = field(default="", repr=False)
    expires_at: float = 0.0
    requested: tuple[str, ...] = ()
    granted: tuple[str, ...] = ()
    user_info: dict[str, Any] = field(default_factory=dict, repr=False)
    is_refused: bool = False

    def is_over(self, now: float) -> bool:
        """Return whether the access token has expired, is about to, or was rejected."""
        return self.is_refused or (bool(self.expires_at) and now >= self.expires_at - EARLY_SECONDS)

    def covers(self, scopes: Iterable[str]) -> bool:
        """Return whether these scopes were requested; services may grant them under other names."""
        return set(scopes) <= {*self.requested, *self.granted}


class Grants:
    """The grants of one project's users.

    Args:
        vault: where they are stored.
        masker: receives every token.
        namespace: separates them from other entries of the vault.
    """

    def __init__(self, vault: "Vault", masker: Masker, namespace: str = NAMESPACE) -> None:
        self._vault = vault
        self._masker = masker
        self._namespace = namespace
        self._thread = Threads(1)

    async def find(self, registration: Registration, owner: Owner) -> AccountGrant | None:
        """Return the grant of an owner's account, if it was granted to the current client."""
        text = await self._thread.run(partial(self._vault.get, self._namespace, _key(registration, owner)))
        grant = _from_text(text) if text else None
        if grant is None or grant.client_id != registration.client_id:
            return None
        self.mask(registration, owner, grant)
        return grant

    async def store(self, registration: Registration, owner: Owner, grant: AccountGrant) -> None:
        """Store the grant of an owner's account."""
        self.mask(registration, owner, grant)
        text = json.dumps(dataclasses.asdict(grant))
        await self._thread.run(partial(self._vault.set, self._namespace, _key(registration, owner), text))

    async def drop(self, registration: Registration, owner: Owner) -> None:
        """Delete the grant of an owner's account."""
        await self._thread.run(partial(self._vault.delete, self._namespace, _key(registration, owner)))

    def mask(self, registration: Registration, owner: Owner, grant: AccountGrant) -> None:
        """Register the tokens with the masker, under names that include the account and owner."""
        account = registration.account
        tokens = {f"{account} token": grant.access_token, f"{account} refresh token": grant.refresh_token}
        self._masker.renew((account, owner), tokens)


def _key(registration: Registration, owner: Owner) -> str:
    return json.dumps([registration.account, owner.name, owner.is_authenticated])


def _from_text(text: str) -> AccountGrant | None:
    members = parse_json_or_none(text)
    if not isinstance(members, dict):
        return None
    values: dict[str, Any] = {}
    for member in dataclasses.fields(AccountGrant):
        value = members.get(member.name)
        value = tuple(value) if isinstance(value, list) else value
        if not isinstance(value, _KINDS[member.name]):
            return None
        values[member.name] = value
    return AccountGrant(**values)


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "client_id": str,
    "access_token": str,
    "refresh_token": str,
    "expires_at": (int, float),
    "requested": tuple,
    "granted": tuple,
    "user_info": dict,
    "is_refused": bool,
}
