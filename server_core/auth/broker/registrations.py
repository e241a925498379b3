"""The OAuth clients of a project: the client's id and secret, and the endpoints of the service.

Rule 1: secret values come from the project's secrets, by names derived from the account: `GITHUB_CLIENT_ID`,
`GITHUB_CLIENT_SECRET`, or `GITHUB_TOKEN`; for `GitHub(id="work")` they begin with `GITHUB_WORK`.
Rule 2: the rest comes from the table of providers; `[tool.workbench.auth.ACCOUNT]` in pyproject.toml overrides it.
"""

import asyncio
import dataclasses
import re
import tomllib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from server_core.auth.providers import PROVIDERS, Provider
from server_core.auth.requirement import AuthRequirement
from server_core.errors import ConfigurationError
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.urls import check_url
from server_core.runtime.paths import project_root

if TYPE_CHECKING:
    from server_core.auth.mock.mock_service import MockService

SECTION = "tool.workbench.auth"
MOCK_CLIENT_ID = "mock-client"


@dataclass(frozen=True, slots=True)
class Registration:
    """The client for one service; values that are not set are empty."""

    account: str  # Such as `github` or `github.work`.
    provider: Provider
    # Each account has a separate path, so that the response of a service cannot be used for another (RFC 9700
    # section 4.4.2).
    redirect_uri: str
    client_id: str = ""
    client_secret: str = field(default="", repr=False)  # A public client has none.
    token: str = field(default="", repr=False)  # A static token that replaces authorization.


class Registrations(Protocol):
    async def find(self, requirement: AuthRequirement) -> Registration:
        """Return the client for a service; ConfigurationError if that is unknown, or its configuration is wrong."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SecretNames:
    """The names of the secrets of an account."""

    client_id: str
    client_secret: str
    token: str

    @classmethod
    def of(cls, account: str) -> "SecretNames":
        prefix = re.sub(r"[^A-Z0-9]", "_", account.upper())
        return cls(f"{prefix}_CLIENT_ID", f"{prefix}_CLIENT_SECRET", f"{prefix}_TOKEN")


class NoClient(ConfigurationError):
    def __init__(self, registration: Registration) -> None:
        names, provider = SecretNames.of(registration.account), registration.provider
        place = f" at {provider.register_url}" if provider.register_url else ""
        super().__init__(
            f"No client of {provider.name} is set up: register one{place} with the redirect URI"
            f" {registration.redirect_uri}, and set the secrets {names.client_id} and {names.client_secret}; or set a"
            f" token of your own as {names.token}."
        )
        self.registration = registration
        self.names = names


class ProjectRegistrations:
    """The OAuth clients in a project's configuration, with the default port of redirect URIs."""

    def __init__(
        self, folder: Path, secrets: Callable[[Iterable[str]], Awaitable[Mapping[str, str]]], port: int
    ) -> None:
        self._folder = folder
        self._secrets = secrets
        self._port = port

    async def find(self, requirement: AuthRequirement) -> Registration:
        account = requirement.account
        overrides = _section(self._folder, account)
        redirect_uri = overrides.pop("redirect_uri", "")
        provider = provider_of(requirement, overrides)
        names = SecretNames.of(account)
        values = await self._secrets(dataclasses.astuple(names))
        client_id, client_secret, token = (values.get(name, "") for name in dataclasses.astuple(names))
        return Registration(
            account,
            provider,
            redirect_uri or f"http://{provider.redirect_host}:{self._port}/callback/{account}",
            client_id,
            client_secret,
            token,
        )

    async def close(self) -> None:
        pass


class MockRegistrations:
    """The OAuth clients while a mock service, which accepts any client, replaces all services."""

    def __init__(self, service: "MockService | None" = None) -> None:
        from server_core.auth.mock.mock_service import MockService

        self.service = service or MockService()
        self._lock = asyncio.Lock()

    async def find(self, requirement: AuthRequirement) -> Registration:
        async with self._lock:
            if not self.service.is_open:
                await self.service.start()
        account, url = requirement.account, self.service.url
        known = PROVIDERS.get(requirement.provider_id or account)
        name = f"{known.name if known else account} (mock)"
        provider = Provider(
            name,
            f"{url}/authorize",
            f"{url}/token",
            device_url=f"{url}/device_authorization",
            revoke_url=f"{url}/revoke",
            userinfo_url=f"{url}/userinfo",
            parameters={"service": name},
            any_port=True,
        )
        return Registration(account, provider, f"http://127.0.0.1:0/callback/{account}", MOCK_CLIENT_ID)

    async def close(self) -> None:
        await self.service.close()


def provider_of(requirement: AuthRequirement, overrides: Mapping[str, Any]) -> Provider:
    """Return the service of a requirement: its row of the table with the project's overrides of fields."""
    account = requirement.account
    where = f"[{SECTION}.{account}]"
    known = PROVIDERS.get(requirement.provider_id or account)
    names = [entry.name for entry in dataclasses.fields(Provider) if entry.name in overrides]
    values = {name: _check_field(name, overrides[name], f"{where} {name}") for name in names}
    if unknown := sorted(set(overrides) - set(values)):
        raise ConfigurationError(f"{where} has the unknown field {unknown[0]!r}; docs/tool-auth.md lists the fields.")
    if known is not None:
        return dataclasses.replace(known, **values)
    if missing := [name for name in ("authorize_url", "token_url") if name not in values]:
        raise ConfigurationError(
            f"{account!r} has no configured endpoints: set {' and '.join(missing)} under {where} in pyproject.toml."
        )
    return Provider(**{"name": account, **values})


def _section(folder: Path, account: str) -> dict[str, Any]:
    root = project_root(folder)
    if root is None:
        return {}
    path = root / "pyproject.toml"
    try:
        value: Any = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}.") from error
    for key in (*SECTION.split("."), account):
        value = value.get(key, {}) if isinstance(value, dict) else {}
    if not isinstance(value, dict):
        raise ConfigurationError(f"[{SECTION}] {account} in {path} must be a table.")
    redirect_uri = value.get("redirect_uri", "")
    if not isinstance(redirect_uri, str):
        raise ConfigurationError(f"[{SECTION}.{account}] redirect_uri in {path} must be a string.")
    return dict(value)


def _check_field(name: str, value: Any, where: str) -> Any:
    """Return a value of pyproject.toml as its field requires it: lists become tuples, URLs are checked."""
    default = getattr(_DEFAULTS, name)
    if isinstance(default, tuple) and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    kind = Mapping if isinstance(default, Mapping) else type(default)
    if not isinstance(value, kind) or (kind is Mapping and not all(isinstance(item, str) for item in value.values())):
        raise ConfigurationError(f"{where} has the invalid value {value!r}; docs/tool-auth.md describes the field.")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ConfigurationError(f"{where} is {value!r}; it must be one of {', '.join(_CHOICES[name])}.")
    if name.endswith("_url") and isinstance(value, str) and value:
        try:
            check_url(value, where, value)
        except AuthorizationFailed as error:
            raise ConfigurationError(str(error)) from error
    return value


_DEFAULTS = Provider("", "", "")
_CHOICES = {
    "client_in": ("form", "header"),
    "body": ("form", "json"),
    "revoke_by": ("form", "token"),
    "userinfo_method": ("GET", "POST"),
    "redirect_host": ("127.0.0.1", "localhost"),
}
