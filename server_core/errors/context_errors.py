"""Errors of a running tool that asks for something that its client or its call does not have."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from server_core.errors.general import WorkbenchError


class ContextError(WorkbenchError):
    """A running tool asked for what its client or request does not have."""


class NotInContext(ContextError, ValueError):
    """A running tool asked for a secret or a metadata value that its call does not have."""


class ClientTimeout(ContextError):
    """The client, or its user, did not answer a request of a running tool in time; a faster answer helps.

    Args:
        method: the method of the request.
        seconds: the time limit.
    """

    def __init__(self, method: str, seconds: float) -> None:
        super().__init__(f"The client did not answer {method} within {seconds:g} s.")
        self.seconds = seconds


class MissingCapability(ContextError):
    """A running tool needs a capability that its client did not declare.

    Args:
        message: the error message.
        required: the missing capabilities, in the form of client capabilities; the default is that of the class.
    """

    default_required: ClassVar[dict[str, Any]] = {}

    def __init__(self, message: str, required: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.required = self.default_required if required is None else required


class SamplingNotSupportedError(MissingCapability, ValueError):
    """A running tool used sampling, and the client did not declare the capability."""

    default_required = {"sampling": {}}


class RootsNotSupportedError(MissingCapability):
    """A running tool asked for the client's roots, and the client did not declare the capability."""

    default_required = {"roots": {}}


class ElicitationNotSupportedError(MissingCapability):
    """A running tool used elicitation, and the client did not declare the capability."""

    default_required = {"elicitation": {}}


class ElicitationModeNotSupportedError(MissingCapability):
    """A running tool used an elicitation mode, form or URL, that the client did not declare."""

    default_required = {"elicitation": {"url": {}}}


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


class UnsupportedSchemaDialectError(WorkbenchError, ValueError):
    """A running tool used a form whose schema is in a dialect that clients need not support."""
