"""What a tool needs of a person's account with a service before it can run."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from server_core.errors import ToolDefinitionError

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True)
class AuthRequirement:
    """An account with one service, and what the tool wants to do there.

    Attributes:
        provider_id: the service, as in the table of providers; empty for the author's own, which `id` names.
        id: the name of the author's own registration with the service, where there are several.
        scopes: what the tool wants to do, in the service's words.
        provider_type: the kind of authorization.

    Raises:
        ToolDefinitionError: when the id or a scope can be none.
    """

    provider_id: str = ""
    id: str | None = None
    scopes: tuple[str, ...] = ()
    provider_type: str = "oauth2"

    def __post_init__(self) -> None:
        if self.id is not None and not (isinstance(self.id, str) and _ID.fullmatch(self.id)):
            raise ToolDefinitionError(
                f"{self.id!r} is no id of a provider; use up to 64 letters, digits, '-', '_' and '.', like 'acme-crm'."
            )
        if not (self.provider_id or self.id):
            raise ToolDefinitionError(
                "OAuth2 needs an id that names the provider, like OAuth2(id='acme-crm', scopes=['read'])."
            )
        object.__setattr__(self, "scopes", _scopes(self.scopes))

    @property
    def account(self) -> str:
        """The name of the registration that it is about: `github`, `github.acme`, or `acme-crm`."""
        return ".".join(filter(None, (self.provider_id, self.id)))

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as orchestrators read it."""
        return {
            "provider_id": self.provider_id or None,
            "provider_type": self.provider_type,
            "id": self.id,
            "oauth2": {"scopes": list(self.scopes)},
        }


def _scopes(scopes: Iterable[str] | None) -> tuple[str, ...]:
    if isinstance(scopes, str):
        raise ToolDefinitionError(f"scopes must be a list, like scopes=[{scopes!r}]; a text stands for none.")
    unique = tuple(dict.fromkeys(scopes or ()))
    for scope in unique:
        if not isinstance(scope, str) or not scope or not scope.isascii() or not scope.isprintable() or " " in scope:
            raise ToolDefinitionError(f"{scope!r} is no scope; give each as one text without blanks.")
    return unique
