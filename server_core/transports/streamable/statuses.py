"""The HTTP status of a JSON-RPC response that is the whole HTTP response.

Source: 2026-07-28, basic/transports, Streamable HTTP; basic/authorization, Scope Challenge Handling.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from server_core.protocol.codes import HTTP_STATUSES, INSUFFICIENT_SCOPE
from server_core.transports.streamable.http_exchange import NO_HEADERS, HttpExchange

# The start of every result that we encode ourselves.
_RESULT = re.compile(rb'\{"jsonrpc":"2\.0","id":(?:-?\d+|"[^"\\]*"),"result":')


def status_of(exchange: HttpExchange, answer: bytes, *, by_code: bool) -> tuple[int, Mapping[str, str]]:
    """Return the HTTP status of a JSON-RPC response, and its headers.

    Args:
        exchange: the request that is being answered.
        answer: a JSON-RPC response.
        by_code: every error has the status of its code; else only a challenge for another token has a status.
    """
    if (not by_code and exchange.challenge is None) or _RESULT.match(answer):
        return 200, NO_HEADERS
    # A result encoded by another server, or an error.
    error = json.loads(answer).get("error", {})
    code = error.get("code")
    if code == INSUFFICIENT_SCOPE and exchange.challenge is not None:
        return 403, {"www-authenticate": exchange.challenge(_data(error))}
    return (HTTP_STATUSES.get(code, 200) if by_code and type(code) is int else 200), NO_HEADERS


def _data(error: Mapping[str, Any]) -> Mapping[str, Any]:
    data = error.get("data")
    return data if isinstance(data, dict) else {}
