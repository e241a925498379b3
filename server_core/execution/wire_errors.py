"""Convert exceptions to results and errors for the client; no other module does.

Agents get a message and, in `_meta`, the kind of failure and whether to try again. Details for the author (the text of
exceptions of other libraries, tracebacks) are never included.
"""

import json
from collections.abc import Callable
from typing import Any, TypeAlias

from server_core.adapters.adapter import describe_error
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
from server_core.execution.failures import Failure, developer_message_of, normalise_exception
from server_core.execution.tracebacks import traceback_of
from server_core.protocol.codes import (
    INSUFFICIENT_SCOPE,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    RESOURCE_NOT_FOUND,
    URL_ELICITATION_REQUIRED,
)
from server_core.protocol.revisions import Revision
from server_core.runtime.safe_json import dump_json, parse_json
from server_core.runtime.safe_text import call_safely, class_name, safe_str

Json: TypeAlias = dict[str, Any]

_LARGEST_EXACT = 2**53 - 1
"""Larger integers are not exact in every client, and Python refuses to format one with thousands of digits."""
_FAILED = "Internal error: the server's code failed; the details are in the logs of the server."


def failure_result(failure: Failure, mask: Callable[[str], str]) -> Json:
    """Return the CallToolResult for a failed call, masked. Source: server/tools, error handling."""
    error = failure.error
    hint = getattr(error, "additional_prompt_content", None)
    hint = None if hint is None else mask(safe_str(hint))
    facts = {
        "errorKind": str(kind_of(error)),
        "canRetry": bool(error.can_retry),
        "additionalPromptContent": hint,
        "retryAfterMs": _exact_int(getattr(error, "retry_after_ms", None)),
        "statusCode": _exact_int(error.status_code),
    }
    return {
        "content": [text_block(text) for text in _texts(failure, hint, mask)],
        "isError": True,
        "_meta": {"arcade": {name: value for name, value in facts.items() if value is not None}},
    }


def _texts(failure: Failure, hint: str | None, mask: Callable[[str], str]) -> list[str]:
    error = failure.error
    if isinstance(error, RequirementNotMet):
        # The tool has not run, so there are no details to add.
        return [error.message, json.dumps(error.for_programs)]
    text = mask(failure.describe(getattr(error, "message", error)))
    exposed = exposed_text(failure, mask) if is_exposing() else ""
    return [f"{text}\n\n{hint}{exposed}" if hint else text + exposed]


def _exact_int(value: object) -> int | None:
    """Return an int that can be sent; None for anything else that an author's error class may hold."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return int(value) if abs(value) <= _LARGEST_EXACT else None


def request_report(error: BaseException) -> Json | None:
    """Return the details of a failed request for the author; None if the client's error already has them all."""
    return call_safely(
        lambda: _report_of(normalise_exception(error)),
        lambda _: {"message": f"{class_name(type(error))}: its own code raises when it is read", "traceback": ""},
    )


def is_request_error(error: BaseException, revision: Revision) -> bool:
    """Return whether a tool's exception becomes a JSON-RPC error of the request instead of a tool result.

    Source: 2026-07-28, basic: a request that needs a capability that it did not declare is refused. A ProtocolError
    that a tool raises is sent as it is; clients of older revisions get it as a tool result.
    2025-11-25, client/elicitation: a required URL elicitation is an error.
    """
    return call_safely(lambda: _is_request_error(error, revision), lambda _: False)


def rpc_error(error: BaseException, revision: Revision) -> ProtocolError:
    """Return the JSON-RPC error for an exception; its data can always be encoded as JSON."""
    return call_safely(
        lambda: _make_encodable(_protocol_error(normalise_exception(error), revision)),
        lambda _: ProtocolError(INTERNAL_ERROR, _FAILED),
    )


def _report_of(error: BaseException) -> Json | None:
    detail = developer_message_of(error)
    if isinstance(error, WorkbenchError) and detail is None:
        return None
    return {"message": describe_error(error) if detail is None else detail, "traceback": traceback_of(error)}


def _is_request_error(error: BaseException, revision: Revision) -> bool:
    if isinstance(error, UrlElicitationRequired):
        return revision.elicitation_ids
    if isinstance(error, ProtocolError) and error.code == INSUFFICIENT_SCOPE:
        # basic/authorization: the client has to get another token; its model cannot.
        return True
    return revision.stateless and isinstance(error, MissingCapability | ProtocolError)


def _make_encodable(error: ProtocolError) -> ProtocolError:
    code = error.code if type(error.code) is int else INTERNAL_ERROR
    text = safe_str(error.message)
    return ProtocolError(code, text if text.strip() else NO_TEXT, _json_of(error.data))


def _protocol_error(error: BaseException, revision: Revision) -> ProtocolError:
    if isinstance(error, UrlElicitationRequired) and revision.elicitation_ids:
        elicitations = [
            {"mode": "url", "message": elicitation.message, "url": elicitation.url, "elicitationId": elicitation.id}
            for elicitation in error.elicitations
        ]
        return ProtocolError(URL_ELICITATION_REQUIRED, safe_str(error), {"elicitations": elicitations})
    if revision.stateless and isinstance(error, MissingCapability):
        return ProtocolError(
            MISSING_CAPABILITY, safe_str(error), {"requiredCapabilities": getattr(error, "required", {})}
        )
    if isinstance(error, RemoteError):
        return ProtocolError(INTERNAL_ERROR, f"The client returned an error: {error.message}")
    if isinstance(error, ProtocolError):
        if error.code == RESOURCE_NOT_FOUND and revision.stateless:
            # 2026-07-28 has no separate code for this.
            return ProtocolError(INVALID_PARAMS, error.message, error.data)
        return error
    if isinstance(error, ResourceNotFound):
        code = INVALID_PARAMS if revision.stateless else RESOURCE_NOT_FOUND
        message = safe_str(error.message) or f"Resource not found: {error.uri}"
        return ProtocolError(code, message, None if error.uri is None else {"uri": error.uri})
    if isinstance(error, ToolInputError):
        return ProtocolError(INVALID_PARAMS, error.message)
    if isinstance(error, ToolRuntimeError | ContextError | ResourceError | PromptError):
        return ProtocolError(INTERNAL_ERROR, safe_str(getattr(error, "message", error)))
    return ProtocolError(INTERNAL_ERROR, _FAILED)


def _json_of(data: object) -> Any:
    """Return the data of an error as a JSON value; None if it has no JSON form."""
    if data is None:
        return None
    try:
        return parse_json(dump_json(data, default=safe_str, skipkeys=True, allow_nan=False))
    except ValueError:
        return None
