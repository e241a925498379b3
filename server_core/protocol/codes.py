"""The codes of JSON-RPC errors, those of MCP and our own, and the HTTP status of each."""

# JSON-RPC 2.0 section 5.1, and the codes that MCP adds.
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
# Up to 2025-11-25; from 2026-07-28 on, an unknown resource is reported with -32602.
RESOURCE_NOT_FOUND = -32002
# 2025-11-25 only.
URL_ELICITATION_REQUIRED = -32042
# Not in the specification: the code in the body of a 403 response with a challenge, as Arcade's servers send it.
INSUFFICIENT_SCOPE = -32043
# From 2026-07-28 on.
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
# A client has not answered in time.
REQUEST_TIMEOUT = -32001
# Our own; SERVER_BUSY is its HTTP status. Codes of applications are outside of the range that JSON-RPC reserves.
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
"""The HTTP status for an error code from 2026-07-28 on, unless a stream has been started; 200 for any other code."""
