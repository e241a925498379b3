"""Raised by authors of resources and prompts: it cannot be given, and the client reads why."""

from server_core.errors.general import WorkbenchError


class ResourceError(WorkbenchError):
    """Raised by an author: the resource cannot be read; the client reads the text."""


class ResourceNotFound(ResourceError):
    """Raised by an author: there is no such resource, although its address fits a template.

    Args:
        message: what the client reads; made from the address when not given.
        uri: the address; that of the request when not given.

    Source: server/resources, error handling.
    """

    def __init__(self, message: str = "", uri: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.uri = uri


class PromptError(WorkbenchError):
    """Raised by an author: the prompt cannot be made; the client reads the text."""
