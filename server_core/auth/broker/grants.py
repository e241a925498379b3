"""What a service gave for one person's account, and where it is kept: in a vault, by account and owner.

Rule 1: every token is made known to the masker before anybody else sees it, and one that replaces it takes its place.
Rule 2: what cannot be read is as good as none: the worst that follows is that a person agrees once more.
Rule 3: the vault is asked on a thread: it derives keys, waits for locks and for disks. One thread: the last one wins.
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
from server_core.runtime.threads import Threads

if TYPE_CHECKING:
    from server_core.secrets.vault import Vault

NAMESPACE = "auth"


class MemoryVault:
    """Keeps texts as long as the process lives."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], str] = {}

    def get(self, namespace: str, key: str) -> str | None:
        """Return what is kept; None when nothing is."""
        return self._values.get((namespace, key))

    def set(self, namespace: str, key: str, value: str) -> None:
        """Keep a text."""
        self._values[namespace, key] = value

    def delete(self, namespace: str, key: str) -> None:
        """Forget a text."""
        self._values.pop((namespace, key), None)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose account it is.

    Attributes:
        name: who they are; empty for the one user of this machine.
        is_proved: whether they have proved to be that, to whoever checks credentials over HTTP.
    """

    name: str = ""
    is_authenticated: bool = False


LOCAL = Owner()
"""The one user of this machine: who has not had to prove who they are."""


@dataclass(frozen=True, slots=True)
class AccountGrant:
    """What a service gave.

    Attributes:
        client_id: whom it was given to.
        access_token: what requests carry.
        refresh_token: what a new one is asked for with; empty when there is none.
        expires_at: when the access token ends, in seconds since the epoch; 0: nobody said.
        requested: the scopes that the person was asked for.
        granted: those that the service says it gave.
        user_info: what the service says about the person.
        is_refused: whether the service has refused the access token since.
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
        """Return whether the access token has ended, is about to, or is no longer taken."""
        return self.is_refused or (bool(self.expires_at) and now >= self.expires_at - EARLY_SECONDS)

    def covers(self, scopes: Iterable[str]) -> bool:
        """Return whether these scopes were asked for: services give some under other names, so that will do."""
        return set(scopes) <= {*self.requested, *self.granted}


class Grants:
    """The grants of one project's users.

    Args:
        vault: where they are kept.
        masker: told every token.
        namespace: tells them apart from other things in the vault.
    """

    def __init__(self, vault: "Vault", masker: Masker, namespace: str = NAMESPACE) -> None:
        self._vault = vault
        self._masker = masker
        self._namespace = namespace
        self._thread = Threads(1)

    async def find(self, registration: Registration, owner: Owner) -> AccountGrant | None:
        """Return what an owner's account was given, if it was given to the client that asks now."""
        text = await self._thread.run(partial(self._vault.get, self._namespace, _key(registration, owner)))
        grant = _from_text(text) if text else None
        if grant is None or grant.client_id != registration.client_id:
            return None
        self.mask(registration, owner, grant)
        return grant

    async def store(self, registration: Registration, owner: Owner, grant: AccountGrant) -> None:
        """Keep what an owner's account was given."""
        self.mask(registration, owner, grant)
        text = json.dumps(dataclasses.asdict(grant))
        await self._thread.run(partial(self._vault.set, self._namespace, _key(registration, owner), text))

    async def drop(self, registration: Registration, owner: Owner) -> None:
        """Forget what an owner's account was given."""
        await self._thread.run(partial(self._vault.delete, self._namespace, _key(registration, owner)))

    def mask(self, registration: Registration, owner: Owner, grant: AccountGrant) -> None:
        """Make the tokens known to the masker, under names that say whose they are."""
        account = registration.account
        tokens = {f"{account} token": grant.access_token, f"{account} refresh token": grant.refresh_token}
        self._masker.renew((account, owner), tokens)


def _key(registration: Registration, owner: Owner) -> str:
    return json.dumps([registration.account, owner.name, owner.is_authenticated])


def _from_text(text: str) -> AccountGrant | None:
    try:
        members = json.loads(text)
    except (ValueError, RecursionError):
        return None
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
