"""The one place where exceptions become what a wire carries.

Agents read a message and, in `_meta`, what kind of failure it is and whether to try again. What only the author should
see (the text of foreign exceptions, tracebacks) never leaves by this way.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from server_core.adapters.adapter import described
from server_core.adapters.redaction import without_secrets
from server_core.catalog.content import text_block
from server_core.errors import (
    ContextError,
    MissingCapability,
    PromptError,
    ProtocolError,
    RemoteError,
    RequirementNotMet,
    ResourceError,
    ResourceNotFound,
    ToolInputError,
    ToolRuntimeError,
    UrlElicitationRequired,
    WorkbenchError,
    kind_of,
)
from server_core.errors.tools import NO_TEXT
from server_core.execution.debug_exposure import exposed_text, is_exposing
from server_core.execution.failures import Failure, normalise_exception, traceback_of
from server_core.protocol.codes import (
    INSUFFICIENT_SCOPE,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    RESOURCE_NOT_FOUND,
    URL_ELICITATION_REQUIRED,
)
from server_core.protocol.revisions import Revision
from server_core.records.masking import Masker
from server_core.runtime.safe_text import class_name, readable

Json: TypeAlias = dict[str, Any]

NO_SECRETS: Mapping[str, str] = {}


def tool_failure(failure: Failure, secrets: Mapping[str, str] = NO_SECRETS) -> Json:
    """Return the result that tells an agent of a failure.

    Args:
        failure: what became of the call.
        secrets: name -> value of what must not be in it, whoever has written it there.

    Returns:
        A CallToolResult with `isError`.

    Source: server/tools, error handling.
    """
    error = failure.error
    mask = Masker(secrets).mask_text
    hint = getattr(error, "additional_prompt_content", None)
    hint = None if hint is None else mask(readable(hint))
    facts = {
        "errorKind": str(kind_of(error)),
        "canRetry": bool(error.can_retry),
        "additionalPromptContent": hint,
        "retryAfterMs": _whole(getattr(error, "retry_after_ms", None)),
        "statusCode": _whole(error.status_code),
    }
    return {
        "content": [text_block(text) for text in _texts(failure, hint, mask)],
        "isError": True,
        "_meta": {"arcade": {name: value for name, value in facts.items() if value is not None}},
    }


def _texts(failure: Failure, hint: str | None, mask: Callable[[str], str]) -> list[str]:
    error = failure.error
    if isinstance(error, RequirementNotMet):
        # The tool has not run: nothing of it is told.
        return [error.message, json.dumps(error.for_programs)]
    text = mask(failure.describe(getattr(error, "message", error)))
    exposed = exposed_text(failure, mask) if is_exposing() else ""
    return [f"{text}\n\n{hint}{exposed}" if hint else text + exposed]


def request_report(error: BaseException) -> Json | None:
    """Return what the author should know of a request that failed, and its client should not; None where it knows all.

    Args:
        error: whatever handling the request raised.
    """
    try:
        error = normalise_exception(error)
        detail = getattr(error, "developer_message", None)
        if isinstance(error, WorkbenchError) and detail is None:
            return None
        message = described(error) if detail is None else without_secrets(readable(detail))
        return {"message": message, "traceback": traceback_of(error)}
    except BaseException:  # SystemExit among it: an author's class whose own code fails when it is read.
        return {"message": f"{class_name(type(error))}: its own code fails when it is read", "traceback": ""}


def is_request_error(error: BaseException, revision: Revision) -> bool:
    """Whether a failure of a tool is told as an error of the request, instead of as a result of the tool.

    Source: 2026-07-28, basic: a request that takes a capability which it did not declare is refused. And a tool that
    raises an error of the protocol by its code means that; older clients are told it as a result all the same.
    2025-11-25, client/elicitation: an address to visit first is asked for by an error.
    """
    try:
        if isinstance(error, UrlElicitationRequired):
            return revision.elicitation_ids
        if isinstance(error, ProtocolError) and error.code == INSUFFICIENT_SCOPE:
            # basic/authorization: the client asks for another token, and none of its models can.
            return True
        return revision.stateless and isinstance(error, MissingCapability | ProtocolError)
    except BaseException:  # As in `rpc_error`.
        return False


def rpc_error(error: BaseException, revision: Revision) -> ProtocolError:
    """Return the JSON-RPC error that answers a request whose handling raised, with nothing in it that is no JSON.

    Args:
        error: whatever handling the request raised.
        revision: that of the client.
    """
    try:
        refusal = _protocol_error(normalise_exception(error), revision)
        code = refusal.code if type(refusal.code) is int else INTERNAL_ERROR
        text = readable(refusal.message)
        return ProtocolError(code, text if text.strip() else NO_TEXT, _as_json(refusal.data))
    except BaseException:  # SystemExit among it: an author's class whose own code fails when it is read.
        return ProtocolError(INTERNAL_ERROR, _FAILED)


def _protocol_error(error: BaseException, revision: Revision) -> ProtocolError:
    if isinstance(error, UrlElicitationRequired) and revision.elicitation_ids:
        visits = [
            {"mode": "url", "message": one.message, "url": one.url, "elicitationId": one.id}
            for one in error.elicitations
        ]
        return ProtocolError(URL_ELICITATION_REQUIRED, readable(error), {"elicitations": visits})
    if revision.stateless and isinstance(error, MissingCapability):
        return ProtocolError(
            MISSING_CAPABILITY, readable(error), {"requiredCapabilities": getattr(error, "required", {})}
        )
    if isinstance(error, RemoteError):
        return ProtocolError(INTERNAL_ERROR, f"The client answered with an error: {error.message}")
    if isinstance(error, ProtocolError):
        if error.code == RESOURCE_NOT_FOUND and revision.stateless:
            # 2026-07-28 retired the code of its own.
            return ProtocolError(INVALID_PARAMS, error.message, error.data)
        return error
    if isinstance(error, ResourceNotFound):
        code = INVALID_PARAMS if revision.stateless else RESOURCE_NOT_FOUND
        message = readable(error.message) or f"Resource not found: {error.uri}"
        return ProtocolError(code, message, None if error.uri is None else {"uri": error.uri})
    if isinstance(error, ToolInputError):
        return ProtocolError(INVALID_PARAMS, error.message)
    if isinstance(error, ToolRuntimeError | ContextError | ResourceError | PromptError):
        return ProtocolError(INTERNAL_ERROR, readable(getattr(error, "message", error)))
    return ProtocolError(INTERNAL_ERROR, _FAILED)


def _as_json(data: object) -> Any:
    """What is attached to an error, as JSON has it; None where it has no form in JSON."""
    if data is None:
        return None
    try:
        return json.loads(json.dumps(data, default=readable, skipkeys=True, allow_nan=False))
    except (ValueError, TypeError, RecursionError):
        return None


_LARGEST_WHOLE = 2**53 - 1
"""Beyond it, a client's numbers are no longer exact; and Python does not write one with thousands of digits."""
_FAILED = "Internal error: the server's code failed; who runs the server can see why."


def _whole(value: object) -> int | None:
    """A number as the wire has it; what an author's own class holds instead is left out."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return int(value) if abs(value) <= _LARGEST_WHOLE else None
