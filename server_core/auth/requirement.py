"""The account with a service that a tool requires before it can run, and what the tool then receives."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from server_core.errors import ToolDefinitionError

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True)
class AuthRequirement:
    """An account with a service, and the scopes that a tool needs.

    Attributes:
        provider_id: the key in the table of providers; empty for a service of the project, which `id` names.
        id: the name of the project's registration with the service, if there are several.
        scopes: what the tool needs, in the names of the service.
        provider_type: the kind of authorization.

    Raises:
        ToolDefinitionError: the id or a scope is invalid.
    """

    provider_id: str = ""
    id: str | None = None
    scopes: tuple[str, ...] = ()
    provider_type: str = "oauth2"

    def __post_init__(self) -> None:
        if self.id is not None and not (isinstance(self.id, str) and _ID.fullmatch(self.id)):
            raise ToolDefinitionError(
                f"{self.id!r} is not a valid provider id; use up to 64 letters, digits, '-', '_' and '.', as in 'acme'."
            )
        if not (self.provider_id or self.id):
            raise ToolDefinitionError(
                "OAuth2 needs an id that names the provider, such as OAuth2(id='acme-crm', scopes=['read'])."
            )
        object.__setattr__(self, "scopes", _scopes(self.scopes))

    @property
    def account(self) -> str:
        """The name of the registration: `github`, `github.acme`, or `acme-crm`."""
        return ".".join(filter(None, (self.provider_id, self.id)))

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as orchestrators read it."""
        return {
            "provider_id": self.provider_id or None,
            "provider_type": self.provider_type,
            "id": self.id,
            "oauth2": {"scopes": list(self.scopes)},
        }


@dataclass(slots=True)
class Authorization:
    """A user's account with a service, as `context.authorization`; each call has its own instance.

    Attributes:
        token: the access token for requests to the service.
        user_info: what the service returns about the user; empty if it returns nothing.
    """

    token: str = field(repr=False)
    user_info: dict[str, Any] = field(default_factory=dict, repr=False)


def _scopes(scopes: Iterable[str] | None) -> tuple[str, ...]:
    if isinstance(scopes, str):
        raise ToolDefinitionError(f"scopes must be a list, such as scopes=[{scopes!r}], not a string.")
    unique = tuple(dict.fromkeys(scopes or ()))
    for scope in unique:
        if not isinstance(scope, str) or not scope or not scope.isascii() or not scope.isprintable() or " " in scope:
            raise ToolDefinitionError(f"{scope!r} is not a scope: a scope is a non-empty ASCII string without spaces.")
    return unique
