"""As whom a project asks the services for tokens: the client's id and secret, and how the service authorizes.

Rule 1: what is secret comes from the project's secrets, by names that the account gives: `GITHUB_CLIENT_ID`,
`GITHUB_CLIENT_SECRET`, or `GITHUB_TOKEN`; for `GitHub(id="work")` they begin with `GITHUB_WORK`.
Rule 2: all else comes from the table of providers, and `[tool.workbench.auth.ACCOUNT]` in pyproject.toml goes over it.
"""

import dataclasses
import re
import tomllib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from server_core.auth.providers import PROVIDERS, Provider
from server_core.auth.requirement import AuthRequirement
from server_core.errors import ConfigurationError
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.urls import check
from server_core.runtime.paths import project_root

SECTION = "tool.workbench.auth"


@dataclass(frozen=True, slots=True)
class Registration:
    """As whom to ask one service.

    Attributes:
        account: the name of the registration, such as `github` or `github.work`.
        provider: the service.
        redirect_uri: where a person's browser comes back to; one path for each account, so that no answer of one
            service can be taken for one of another (RFC 9700 section 4.4.2).
        client_id: under which the service knows the client; empty when there is none yet.
        client_secret: what it authenticates with; empty for a public client.
        token: a token that stands in for all authorization; empty when there is none.
    """

    account: str
    provider: Provider
    redirect_uri: str
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    token: str = field(default="", repr=False)


class Registrations(Protocol):
    """Knows as whom to ask."""

    async def find(self, requirement: AuthRequirement) -> Registration:
        """Return as whom to ask the service that a tool requires.

        Raises:
            ConfigurationError: when the service is not known, or what is set about it is wrong.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds."""
        ...


@dataclass(frozen=True, slots=True)
class SecretNames:
    """The names of the secrets of an account."""

    client_id: str
    client_secret: str
    token: str

    @classmethod
    def of(cls, account: str) -> "SecretNames":
        """Return the names for an account: `github.work` gives `GITHUB_WORK_CLIENT_ID`."""
        prefix = re.sub(r"[^A-Z0-9]", "_", account.upper())
        return cls(f"{prefix}_CLIENT_ID", f"{prefix}_CLIENT_SECRET", f"{prefix}_TOKEN")


class ProjectRegistrations:
    """What a project says.

    Args:
        folder: where the search for its pyproject.toml begins, upwards.
        secrets: returns the values of those secrets that are set.
        port: where browsers come back to, as long as the project does not say otherwise.
    """

    def __init__(
        self, folder: Path, secrets: Callable[[Iterable[str]], Awaitable[Mapping[str, str]]], port: int
    ) -> None:
        self._folder = folder
        self._secrets = secrets
        self._port = port

    async def find(self, requirement: AuthRequirement) -> Registration:
        """Return as whom to ask; see :meth:`Registrations.find`."""
        account = requirement.account
        overrides = _section(self._folder, account)
        redirect_uri = overrides.pop("redirect_uri", "")
        provider = described(requirement, overrides)
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
        """Do nothing: it holds nothing."""


def described(requirement: AuthRequirement, overrides: Mapping[str, Any]) -> Provider:
    """Return the service of a requirement: its row of the table, with what the project says over it.

    Args:
        requirement: of a tool.
        said: fields of :class:`Provider`.

    Raises:
        ConfigurationError: when the service is not known and not described, or a field of the description is wrong.
    """
    account = requirement.account
    where = f"[{SECTION}.{account}]"
    known = PROVIDERS.get(requirement.provider_id or account)
    values: dict[str, Any] = {}
    for known_field in dataclasses.fields(Provider):
        if known_field.name in overrides:
            values[known_field.name] = _checked(
                known_field.name, overrides[known_field.name], f"{where} {known_field.name}"
            )
    if unknown := sorted(set(overrides) - set(values)):
        raise ConfigurationError(f"{where} has the unknown field {unknown[0]!r}; see the documentation of accounts.")
    if known is not None:
        return dataclasses.replace(known, **values)
    if missing := [name for name in ("authorize_url", "token_url") if name not in values]:
        raise ConfigurationError(
            f"Nobody has said how {account!r} authorizes: put {' and '.join(missing)} under {where} in pyproject.toml."
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
        raise ConfigurationError(f"[{SECTION}.{account}] redirect_uri in {path} must be a text.")
    return dict(value)


def _checked(name: str, value: Any, where: str) -> Any:
    """A value of pyproject.toml as the field takes it: lists become tuples, addresses are checked."""
    default = getattr(_ANY, name)
    if isinstance(default, tuple) and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    kind = Mapping if isinstance(default, Mapping) else type(default)
    if not isinstance(value, kind) or (kind is Mapping and not all(isinstance(item, str) for item in value.values())):
        raise ConfigurationError(f"{where} is {value!r}, which does not fit; see the documentation of accounts.")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ConfigurationError(f"{where} is {value!r}; it must be one of {', '.join(_CHOICES[name])}.")
    if name.endswith("_url") and isinstance(value, str) and value:
        try:
            check(value, where, value)
        except AuthorizationFailed as error:
            raise ConfigurationError(str(error)) from error
    return value


_ANY = Provider("", "", "")
_CHOICES = {
    "client_in": ("form", "header"),
    "body": ("form", "json"),
    "revoke_by": ("form", "token"),
    "userinfo_method": ("GET", "POST"),
    "redirect_host": ("127.0.0.1", "localhost"),
}
