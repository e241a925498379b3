"""Raised by authors where a person has to visit an address first, to sign in somewhere, say."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from server_core.errors.context import ContextError


@dataclass(frozen=True)
class UrlElicitation:
    """An address that a person has to visit: to sign in somewhere, say.

    Attributes:
        message: why.
        url: the address.
        id: names the visit, for `context.ui.complete`; made up when not given.

    Raises:
        ValueError: when the address is none of http or https.
    """

    message: str
    url: str
    id: str = field(default_factory=lambda: os.urandom(16).hex())

    def __post_init__(self) -> None:
        if not self.url.startswith(("https://", "http://")):
            raise ValueError(f"{self.url!r} is no http or https address.")


class UrlElicitationRequired(ContextError):
    """Raised by an author: the request cannot be served before a person has visited these addresses.

    A client that can show them does, and may then ask again; what others are told names them.

    Args:
        elicitations: at least one address.

    Raises:
        ValueError: when there is none.

    Source: 2025-11-25, client/elicitation, URL elicitation required error.
    """

    def __init__(self, elicitations: Iterable[UrlElicitation]) -> None:
        self.elicitations = tuple(elicitations)
        if not self.elicitations:
            raise ValueError("name at least one address that has to be visited.")
        wanted = "; ".join(f"{one.message} {one.url}" for one in self.elicitations)
        super().__init__(f"This takes a visit by a person first. {wanted}")
