"""Errors that authors of resources and prompts raise; the client gets the message."""

from server_core.errors.general import WorkbenchError


class ResourceError(WorkbenchError):
    """Raised by an author: the resource cannot be read; the client gets the message."""


class ResourceNotFound(ResourceError):
    """Raised by an author: there is no such resource, although its URI matches a template.

    Args:
        message: the message for the client; the default names the URI.
        uri: the URI; the default is that of the request.

    Source: server/resources, error handling.
    """

    def __init__(self, message: str = "", uri: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.uri = uri


class PromptError(WorkbenchError):
    """Raised by an author: the prompt is not available; the client gets the message."""
