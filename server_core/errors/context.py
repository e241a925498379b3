"""Errors of a running tool that asks for something that its client or its call does not have."""

from typing import Any, ClassVar

from server_core.errors.general import WorkbenchError


class ContextError(WorkbenchError):
    """A running tool asked for what its client or request does not have."""


class NotInContext(ContextError, ValueError):
    """A running tool asked for a secret or a metadata value that its call does not have."""


class MissingCapability(ContextError):
    """A running tool needs a capability that its client did not declare.

    Args:
        message: the error message.
        required: the missing capabilities, in the form of client capabilities; the default is that of the class.
    """

    usual: ClassVar[dict[str, Any]] = {}

    def __init__(self, message: str, required: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.required = self.usual if required is None else required


class SamplingNotSupportedError(MissingCapability, ValueError):
    """A running tool used sampling, and the client did not declare the capability."""

    usual = {"sampling": {}}


class RootsNotSupportedError(MissingCapability):
    """A running tool asked for the client's roots, and the client did not declare the capability."""

    usual = {"roots": {}}


class ElicitationNotSupportedError(MissingCapability):
    """A running tool used elicitation, and the client did not declare the capability."""

    usual = {"elicitation": {}}


class ElicitationModeNotSupportedError(MissingCapability):
    """A running tool used an elicitation mode, form or URL, that the client did not declare."""

    usual = {"elicitation": {"url": {}}}


class UnsupportedSchemaDialectError(WorkbenchError, ValueError):
    """A running tool used a form whose schema is in a dialect that clients need not support."""
