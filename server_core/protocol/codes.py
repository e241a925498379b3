"""The codes of JSON-RPC errors that MCP knows, and ours; and the HTTP status that goes with each."""

# JSON-RPC 2.0 section 5.1, and the codes that MCP adds.
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
# Up to 2025-11-25; from 2026-07-28 on a resource that does not exist is a matter of -32602.
RESOURCE_NOT_FOUND = -32002
# 2025-11-25 only.
URL_ELICITATION_REQUIRED = -32042
# Not of the specification: the body that goes with a challenge, and status 403, as Arcade's servers have it.
INSUFFICIENT_SCOPE = -32043
# From 2026-07-28 on.
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
# Where a client has not answered in time.
REQUEST_TIMEOUT = -32001
# Ours, and what HTTP calls it: codes of applications lie outside of the range that JSON-RPC keeps for itself.
SERVER_BUSY = 429
USER_REJECTED = -1

HTTP_STATUSES = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    METHOD_NOT_FOUND: 404,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    SERVER_BUSY: 429,
}
"""The HTTP status that goes with an error's code from 2026-07-28 on, as long as no stream was begun; else 200."""
