"""The base class of all errors, and errors outside of any tool: settings, connections, messages, resources, prompts."""

from typing import Any


class WorkbenchError(Exception):
    """The base class of every error that this package raises on purpose."""


class ConfigurationError(WorkbenchError):
    """A setting, a path or an argument is wrong; the message explains which, and what to do."""


class ConnectionFailed(WorkbenchError):
    """The other side could not be reached, or went away before it answered."""


class MessageFailed(ConnectionFailed):
    """The other side did not accept or did not answer a message; the connection can still be used."""


class ProtocolFailure(WorkbenchError):
    """A message broke the protocol; servers written for Arcade raise it with only a text."""


class RequestFailure(WorkbenchError):
    """A request had no result; servers written for Arcade raise it with only a text."""


class ProtocolError(ProtocolFailure):
    """A request that cannot be served, with the JSON-RPC error that answers it.

    Args:
        code: the JSON-RPC error code.
        message: one sentence for the other side.
        data: what the specification attaches to this code, if anything.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class RemoteError(ProtocolError, RequestFailure):
    """The other side answered a request of ours with a JSON-RPC error."""


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
