"""The error that authors raise when the user has to visit a URL first, for example to sign in."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from server_core.errors.context import ContextError


@dataclass(frozen=True)
class UrlElicitation:
    """A URL that the user has to visit, for example to sign in.

    Attributes:
        message: why.
        url: the URL.
        id: the id of the elicitation, for `context.ui.complete`; generated when not given.

    Raises:
        ValueError: when it is not an http or https URL.
    """

    message: str
    url: str
    id: str = field(default_factory=lambda: os.urandom(16).hex())

    def __post_init__(self) -> None:
        if not self.url.startswith(("https://", "http://")):
            raise ValueError(f"{self.url!r} is not an http or https URL.")


class UrlElicitationRequired(ContextError):
    """Raised by an author: the user has to visit these URLs before the request can be served.

    A client that supports URL elicitation shows them, and may then repeat the request; other clients get an error that
    names them.

    Args:
        elicitations: at least one URL.

    Raises:
        ValueError: when there is none.

    Source: 2025-11-25, client/elicitation, URL elicitation required error.
    """

    def __init__(self, elicitations: Iterable[UrlElicitation]) -> None:
        self.elicitations = tuple(elicitations)
        if not self.elicitations:
            raise ValueError("UrlElicitationRequired needs at least one URL.")
        visits = "; ".join(f"{visit.message} {visit.url}" for visit in self.elicitations)
        super().__init__(f"The user has to visit a URL first. {visits}")
