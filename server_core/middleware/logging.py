"""Log a line for each message, and a line with the elapsed time for each response, to standard error."""

import logging
import time
from collections.abc import Callable
from typing import Any

from server_core.adapters.redaction import redact
from server_core.middleware.middleware import CallNext, Middleware, MiddlewareContext
from server_core.runtime.console import write
from server_core.runtime.safe_text import class_name

# Names come from clients, and lines should stay readable.
_LONGEST_NAME = 200
_LONGEST_PARAMS = 2000
LEVELS = logging.getLevelNamesMapping()


class LoggingMiddleware(Middleware):
    """Logs each message and each response: `[REQUEST] method=tools/call request_id=1 session_id=s1 name=add`.

    Args:
        log_level: the least severe level to log: messages are INFO, failures ERROR. With DEBUG the params of messages
            are logged as well.
        write: called with each line; writes to standard error by default.
        mask: replaces secrets in a line.

    Raises:
        ValueError: when there is no such level.
    """

    def __init__(
        self,
        log_level: str = "INFO",
        write: Callable[[str], None] = write,
        mask: Callable[[str], str] = lambda line: line,
    ) -> None:
        if log_level.upper() not in LEVELS:
            raise ValueError(f"Unknown log level {log_level!r}; use one of {', '.join(LEVELS)}.")
        self._level = LEVELS[log_level.upper()]
        self._write = write
        self._mask = mask

    async def on_request(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        subject = self._describe(context)
        self._line(logging.INFO, f"[REQUEST] {subject}{self._params(context)}")
        started = time.perf_counter()
        try:
            result = await call_next(context)
        except Exception as error:
            self._line(logging.ERROR, f"[ERROR] {subject} {_elapsed(started)} error={class_name(type(error))}")
            raise
        failed = isinstance(result, dict) and result.get("isError") is True
        outcome = (logging.ERROR, "[ERROR]") if failed else (logging.INFO, "[RESPONSE]")
        self._line(outcome[0], f"{outcome[1]} {subject} {_elapsed(started)}")
        return result

    async def on_notification(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        self._line(
            logging.INFO, f"[NOTIFICATION] {self._describe(context)} source={context.source}{self._params(context)}"
        )
        return await call_next(context)

    def _params(self, context: MiddlewareContext[Any]) -> str:
        if self._level > logging.DEBUG:
            return ""
        return " params=" + self._shorten(ascii(context.message.params), _LONGEST_PARAMS)

    def _describe(self, context: MiddlewareContext[Any]) -> str:
        params = context.message.params
        name = params.get("name") or params.get("uri") if isinstance(params, dict) else None
        fields = {
            "method": context.method,
            "request_id": context.request_id,
            "session_id": context.session_id,
            "name": name if isinstance(name, str) else None,
        }
        given = {key: str(value) for key, value in fields.items() if value is not None and value != ""}
        return " ".join(f"{key}={self._shorten(_printable(text), _LONGEST_NAME)}" for key, text in given.items())

    def _shorten(self, text: str, longest: int) -> str:
        # Masked before it is truncated, so that no part of a secret is left.
        text = self._mask(redact(text))
        return text if len(text) <= longest else text[:longest] + "..."

    def _line(self, level: int, line: str) -> None:
        if level >= self._level:
            self._write(line)


def _printable(text: str) -> str:
    return text if text.isprintable() and " " not in text else ascii(text)


def _elapsed(started: float) -> str:
    return f"elapsed_ms={(time.perf_counter() - started) * 1000:.1f}"
