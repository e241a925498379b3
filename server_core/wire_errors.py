"""The one place where exceptions become what a wire carries.

Agents read a message and, in `_meta`, what kind of failure it is and whether to try again. What only the author should
see (the text of foreign exceptions, tracebacks) never leaves by this way.
"""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias

from server_core.adapters.adapter import adapted
from server_core.adapters.chain import adapters_for
from server_core.adapters.redaction import without_secrets
from server_core.catalog.content import text_block
from server_core.catalog.definitions import Tool
from server_core.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    RESOURCE_NOT_FOUND,
    URL_ELICITATION_REQUIRED,
    ContextError,
    ErrorKind,
    FatalToolError,
    MissingCapability,
    PromptError,
    ProtocolError,
    RemoteError,
    ResourceError,
    ResourceNotFound,
    ToolInputError,
    ToolRuntimeError,
    UrlElicitationRequired,
    WorkbenchError,
    in_context,
)
from server_core.exposure import exposed_text, is_exposing
from server_core.masking import Masker
from server_core.protocol.revisions import Revision

Json: TypeAlias = dict[str, Any]

NO_SECRETS: Mapping[str, str] = {}
# Where our own frames live: they say nothing to an author about a failure of theirs.
_OURS = "server_core."


@dataclass(frozen=True)
class Failure:
    """A call of a tool that failed.

    Attributes:
        tool: what ran.
        raised: what running it raised.
        error: the error that stands for it.
        problems: what the author should know of the adapters that were asked.
    """

    tool: Tool
    raised: BaseException
    error: ToolRuntimeError
    problems: tuple[str, ...] = ()

    @property
    def function(self) -> str:
        """The author's name of the function; that of the tool where the function has none."""
        name = getattr(self.tool.function, "__name__", "")
        return name if isinstance(name, str) and name.isidentifier() else self.tool.name

    @property
    def developer_message(self) -> str | None:
        """What happened, for the author."""
        detail = getattr(self.error, "developer_message", None)
        return None if detail is None else without_secrets(_text(detail))

    @property
    def traceback(self) -> str | None:
        """Where it happened, for the author; None where the author raised it to tell the agent."""
        unexpected = self.error is not self.raised or self.raised.__cause__ is not None
        return without_secrets(_traceback(self.raised)) if unexpected else None

    def told(self, text: object) -> str:
        """Return a text with what failed before it, as agents and orchestrators read it."""
        return in_context(self.error, self.function, _text(text))


def failure_of(raised: BaseException, tool: Tool) -> Failure:
    """Return what became of a call.

    Args:
        raised: whatever running the tool raised.
        tool: the tool.
    """
    problems: list[str] = []
    error = as_tool_error(raised, tool, problems)
    return Failure(tool, raised, error, tuple(problems))


def tool_failure(failure: Failure, secrets: Mapping[str, str] = NO_SECRETS) -> Json:
    """Return the result that tells an agent of a failure.

    Args:
        failure: what became of the call.
        secrets: name -> value of what must not be in it, even where the developer is exposed.

    Returns:
        A CallToolResult with `isError`.

    Source: server/tools, error handling.
    """
    error = failure.error
    hint = getattr(error, "additional_prompt_content", None)
    facts = {
        "errorKind": _text(getattr(error, "kind", ErrorKind.UNKNOWN)),
        "canRetry": bool(getattr(error, "can_retry", False)),
        "additionalPromptContent": None if hint is None else _text(hint),
        "retryAfterMs": _whole(getattr(error, "retry_after_ms", None)),
        "statusCode": _whole(getattr(error, "status_code", None)),
    }
    text = failure.told(getattr(error, "message", error))
    exposed = exposed_text(failure, Masker(secrets).mask_text) if is_exposing() else ""
    return {
        "content": [text_block(f"{text}\n\n{_text(hint)}{exposed}" if hint else text + exposed)],
        "isError": True,
        "_meta": {"arcade": {name: value for name, value in facts.items() if value is not None}},
    }


def failure_report(failure: Failure) -> Json:
    """Return what the author of a tool should know of a failure, and the agent should not."""
    error = failure.error
    return {
        "kind": _text(getattr(error, "kind", ErrorKind.UNKNOWN)),
        "message": _text(getattr(error, "message", error)),
        "developer_message": failure.developer_message,
        "traceback": failure.traceback,
        "extra": getattr(error, "extra", None),
        "adapter_problems": list(failure.problems),
    }


def request_report(error: BaseException) -> Json | None:
    """Return what the author should know of a request that failed, and its client should not; None for refusals.

    Args:
        error: whatever handling the request raised.
    """
    if isinstance(error, WorkbenchError):
        return None
    return {
        "message": without_secrets(f"{type(error).__name__}: {_text(error)}"),
        "traceback": without_secrets(_traceback(error)),
    }


def as_tool_error(error: BaseException, tool: Tool, problems: list[str] | None = None) -> ToolRuntimeError:
    """Return the error that stands for any exception of a running tool.

    Args:
        error: whatever running the tool raised.
        tool: its adapters are asked before the built-in ones.
        problems: takes a line for each adapter that failed.
    """
    if isinstance(error, ToolRuntimeError):
        return error
    if isinstance(error, RemoteError):
        return FatalToolError(f"The client answered with an error: {error.message}")
    if isinstance(error, ContextError | ProtocolError | ResourceError | PromptError):
        return FatalToolError(_text(error))
    found = adapted(error, adapters_for(tool), problems)
    if found is not None:
        return found
    name = type(error).__name__
    return FatalToolError(f"An unhandled {name} was raised by the tool.", f"{name}: {_text(error)}")


def answers_the_request(error: BaseException, revision: Revision) -> bool:
    """Whether a failure of a tool is told as an error of the request, instead of as a result of the tool.

    Source: 2026-07-28, basic: a request that takes a capability which it did not declare is refused. And a tool that
    raises an error of the protocol by its code means that; older clients are told it as a result all the same.
    2025-11-25, client/elicitation: an address to visit first is asked for by an error.
    """
    if isinstance(error, UrlElicitationRequired):
        return revision.elicitation_ids
    return revision.stateless and isinstance(error, MissingCapability | ProtocolError)


def rpc_error(error: BaseException, revision: Revision) -> ProtocolError:
    """Return the JSON-RPC error that answers a request whose handling raised.

    Args:
        error: whatever handling the request raised.
        revision: that of the client.
    """
    if isinstance(error, UrlElicitationRequired) and revision.elicitation_ids:
        visits = [
            {"mode": "url", "message": one.message, "url": one.url, "elicitationId": one.id}
            for one in error.elicitations
        ]
        return ProtocolError(URL_ELICITATION_REQUIRED, _text(error), {"elicitations": visits})
    if revision.stateless and isinstance(error, MissingCapability):
        return ProtocolError(MISSING_CAPABILITY, _text(error), {"requiredCapabilities": getattr(error, "required", {})})
    if isinstance(error, RemoteError):
        return ProtocolError(INTERNAL_ERROR, f"The client answered with an error: {error.message}")
    if isinstance(error, ProtocolError):
        if error.code == RESOURCE_NOT_FOUND and revision.stateless:
            # 2026-07-28 retired the code of its own.
            return ProtocolError(INVALID_PARAMS, error.message, error.data)
        return error
    if isinstance(error, ResourceNotFound):
        code = INVALID_PARAMS if revision.stateless else RESOURCE_NOT_FOUND
        message = _text(error.message) or f"Resource not found: {error.uri}"
        return ProtocolError(code, message, {"uri": error.uri} if error.uri else None)
    if isinstance(error, ToolInputError):
        return ProtocolError(INVALID_PARAMS, error.message)
    if isinstance(error, ToolRuntimeError | ContextError | ResourceError | PromptError):
        return ProtocolError(INTERNAL_ERROR, _text(getattr(error, "message", error)))
    return ProtocolError(INTERNAL_ERROR, "Internal error: the server's code failed; who runs the server can see why.")


def _text(value: object) -> str:
    """The value's text, whatever its own code does when asked for it."""
    try:
        return str(value)
    except BaseException as error:
        return f"(its text cannot be read: __str__ raised {type(error).__name__})"


def _whole(value: object) -> int | None:
    """A number as the wire has it; what an author's own class holds instead is left out."""
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _traceback(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(type(error), error, _authors(error.__traceback__)))
    except BaseException as failure:
        return f"(the traceback cannot be shown: {type(failure).__name__})"


def _authors(found: TracebackType | None) -> TracebackType | None:
    while found is not None and found.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
        found = found.tb_next
    return found
