"""Measure how long each request takes."""

import time
from collections import deque
from typing import Any, NamedTuple

from server_core.middleware.middleware import CallNext, Middleware, MiddlewareContext


class Timing(NamedTuple):
    """How long one request took.

    Attributes:
        method: its method.
        name: the name of the tool or prompt, or the URI of the resource; else empty.
        seconds: from the request to the response.
        ok: whether it was answered without an error.
    """

    method: str
    name: str
    seconds: float
    ok: bool


class TimingMiddleware(Middleware):
    """Stores how long the last requests took, in :attr:`timings`.

    Args:
        keep: the maximum number of stored timings.
    """

    def __init__(self, keep: int = 1000) -> None:
        self.timings: deque[Timing] = deque(maxlen=keep)
        """The timings of the last requests, oldest first."""

    async def on_request(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        started, ok = time.perf_counter(), False
        try:
            result = await call_next(context)
            ok = not (isinstance(result, dict) and result.get("isError") is True)
            return result
        finally:
            params = context.message.params
            name = params.get("name") or params.get("uri") or ""
            self.timings.append(Timing(context.method, str(name), time.perf_counter() - started, ok))
