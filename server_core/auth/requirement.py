"""What a tool needs of a person's account with a service before it can run."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class AuthRequirement:
    """An account with one service, and what the tool wants to do there.

    Attributes:
        provider_id: the service, as in the table of providers; empty for the author's own, which `id` names.
        id: the name of the author's own registration with the service, where there are several.
        scopes: what the tool wants to do, in the service's words.
        provider_type: the kind of authorization.
    """

    provider_id: str = ""
    id: str | None = None
    scopes: tuple[str, ...] = ()
    provider_type: str = "oauth2"

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as orchestrators read it."""
        return {
            "provider_id": self.provider_id or None,
            "provider_type": self.provider_type,
            "id": self.id,
            "oauth2": {"scopes": list(self.scopes)},
        }
