"""The one place where exceptions become what a wire carries.

Agents read a message and, in `_meta`, what kind of failure it is and whether to try again. What only the author should
see (the text of foreign exceptions, tracebacks) never leaves by this way.
"""

import traceback
from types import TracebackType
from typing import Any, TypeAlias

from server_core.adapters.adapter import adapted
from server_core.adapters.http import HttpAdapter
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
    ProtocolError,
    RemoteError,
    ToolInputError,
    ToolRuntimeError,
    UrlElicitationRequired,
    WorkbenchError,
)
from server_core.protocol.revisions import Revision

Json: TypeAlias = dict[str, Any]

_BUILT_IN = (HttpAdapter(),)
# Where our own frames live: they say nothing to an author about a failure of theirs.
_OURS = "server_core."


def tool_failure(error: BaseException, tool: Tool) -> Json:
    """Return the result that tells an agent of a failure.

    Args:
        error: whatever running the tool raised.
        tool: the tool.

    Returns:
        A CallToolResult with `isError`.

    Source: server/tools, error handling.
    """
    failure = as_tool_error(error, tool)
    message = _text(getattr(failure, "message", failure))
    hint = getattr(failure, "additional_prompt_content", None)
    facts = {
        "errorKind": str(getattr(failure, "kind", ErrorKind.UNKNOWN)),
        "canRetry": bool(failure.can_retry),
        "additionalPromptContent": None if hint is None else _text(hint),
        "retryAfterMs": getattr(failure, "retry_after_ms", None),
        "statusCode": failure.status_code,
    }
    return {
        "content": [text_block(f"{message}\n\n{_text(hint)}" if hint else message)],
        "isError": True,
        "_meta": {"arcade": {name: value for name, value in facts.items() if value is not None}},
    }


def failure_report(error: BaseException, tool: Tool) -> Json:
    """Return what the author of a tool should know of a failure, and the agent should not.

    Args:
        error: whatever running the tool raised.
        tool: the tool.
    """
    failure = as_tool_error(error, tool)
    detail = getattr(failure, "developer_message", None)
    unexpected = failure is not error or error.__cause__ is not None
    return {
        "kind": str(getattr(failure, "kind", ErrorKind.UNKNOWN)),
        "message": _text(getattr(failure, "message", failure)),
        "developer_message": None if detail is None else without_secrets(_text(detail)),
        "traceback": without_secrets(_traceback(error)) if unexpected else None,
        "extra": getattr(failure, "extra", None),
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


def as_tool_error(error: BaseException, tool: Tool) -> ToolRuntimeError:
    """Return the error that stands for any exception of a running tool.

    Args:
        error: whatever running the tool raised.
        tool: its adapters are asked before the built-in ones.
    """
    if isinstance(error, ToolRuntimeError):
        return error
    if isinstance(error, RemoteError):
        return FatalToolError(f"The client answered with an error: {error.message}")
    if isinstance(error, ContextError | ProtocolError):
        return FatalToolError(_text(error))
    found = adapted(error, (*tool.adapters, *_BUILT_IN))
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
    if isinstance(error, ToolInputError):
        return ProtocolError(INVALID_PARAMS, error.message)
    if isinstance(error, ToolRuntimeError | ContextError):
        return ProtocolError(INTERNAL_ERROR, _text(getattr(error, "message", error)))
    return ProtocolError(INTERNAL_ERROR, "Internal error: the server's code failed; who runs the server can see why.")


def _text(value: object) -> str:
    """The value's text, whatever its own code does when asked for it."""
    try:
        return str(value)
    except BaseException as error:
        return f"(its text cannot be read: __str__ raised {type(error).__name__})"


def _traceback(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(type(error), error, _authors(error.__traceback__)))
    except BaseException as failure:
        return f"(the traceback cannot be shown: {type(failure).__name__})"


def _authors(found: TracebackType | None) -> TracebackType | None:
    while found is not None and found.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
        found = found.tb_next
    return found
