"""What a running tool asks for, and its client or its call does not have."""

from typing import Any, ClassVar

from server_core.errors.general import WorkbenchError


class ContextError(WorkbenchError):
    """A running tool asked for what its client or request does not have."""


class NotInContext(ContextError, ValueError):
    """A running tool asked for a secret, or for a fact of its call, that is not there."""


class MissingCapability(ContextError):
    """A running tool asked for what its client did not declare that it can do.

    Args:
        message: one sentence for whoever reads it.
        required: what the client would have to declare, in the form of its capabilities; what its class says when not
            given.
    """

    usual: ClassVar[dict[str, Any]] = {}

    def __init__(self, message: str, required: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.required = self.usual if required is None else required


class SamplingNotSupportedError(MissingCapability, ValueError):
    """A running tool asked the client's model, and the client did not declare that it has one."""

    usual = {"sampling": {}}


class RootsNotSupportedError(MissingCapability):
    """A running tool asked for the client's folders, and the client did not declare that it tells them."""

    usual = {"roots": {}}


class ElicitationNotSupportedError(MissingCapability):
    """A running tool asked the person, and the client did not declare that it can."""

    usual = {"elicitation": {}}


class ElicitationModeNotSupportedError(MissingCapability):
    """A running tool asked the person by a form or an address, and the client can do only the other."""

    usual = {"elicitation": {"url": {}}}


class UnsupportedSchemaDialectError(WorkbenchError, ValueError):
    """A running tool asked the person by a form whose schema is in a dialect that clients need not know."""
