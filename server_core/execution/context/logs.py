"""`context.log`: log messages to the client.

Rule 1: a message below the client's log level costs no more than the check of the level. Other messages wait until the
client has read enough of the earlier messages.
Rule 2: a text that is too long is truncated; facts that are too long are replaced by their size.
"""

from collections.abc import Mapping
from typing import Any

from server_core.execution.context.call import Namespace
from server_core.protocol.methods import LOG_LEVELS
from server_core.runtime.safe_text import MAX_CHARACTERS, cut

MESSAGE = "notifications/message"


class Log(Namespace):
    """Sends the log messages of one call. Source: server/utilities/logging."""

    async def log(
        self,
        level: str,
        message: str,
        logger_name: str | None = None,
        extra: Mapping[str, Any] | None = None,
        *,
        logger: str | None = None,
        **facts: Any,
    ) -> None:
        """Send a message; with extra facts the data is `{"msg": ..., "extra": ...}`, else the text alone.

        Args:
            level: one of the eight levels of RFC 5424, in lower case.
            message: the text.
            logger_name: the part of the tool that it comes from.
            extra: more facts; a value that has no JSON form is sent as text.
            logger: the same as `logger_name`.
            facts: the same as `extra`.

        Raises:
            ValueError: when there is no such level.
        """
        if level not in LOG_LEVELS:
            raise ValueError(f"unknown log level {level!r}; use one of {', '.join(LOG_LEVELS)}.")
        if not self._context.port.client.wants_log(level):
            return
        params: dict[str, Any] = {"level": level}
        if (name := logger or logger_name) is not None:
            params["logger"] = name
        more = {**(extra or {}), **facts}
        text = cut(message) if isinstance(message, str) else message
        data = {"msg": text, "extra": _json_safe(more)} if more else text
        params["data"] = self._context.masked(data)
        await self._context.send_and_drain(MESSAGE, params)

    async def __call__(self, level: str, message: str, *args: Any, **facts: Any) -> None:
        """Send a message; short for :meth:`log`."""
        await self.log(level, message, *args, **facts)

    async def debug(self, message: str, **extra: Any) -> None:
        """Send a message of level `debug`: details for debugging."""
        await self.log("debug", message, **extra)

    async def info(self, message: str, **extra: Any) -> None:
        """Send a message of level `info`: normal operation."""
        await self.log("info", message, **extra)

    async def notice(self, message: str, **extra: Any) -> None:
        """Send a message of level `notice`: normal but significant."""
        await self.log("notice", message, **extra)

    async def warning(self, message: str, **extra: Any) -> None:
        """Send a message of level `warning`: it may become an error."""
        await self.log("warning", message, **extra)

    async def error(self, message: str, **extra: Any) -> None:
        """Send a message of level `error`: something failed."""
        await self.log("error", message, **extra)

    async def critical(self, message: str, **extra: Any) -> None:
        """Send a message of level `critical`: a part of the system failed."""
        await self.log("critical", message, **extra)

    async def alert(self, message: str, **extra: Any) -> None:
        """Send a message of level `alert`: action must be taken immediately."""
        await self.log("alert", message, **extra)

    async def emergency(self, message: str, **extra: Any) -> None:
        """Send a message of level `emergency`: the system cannot be used."""
        await self.log("emergency", message, **extra)


def _json_safe(value: Any) -> Any:
    import json  # Most calls log no facts.

    text = json.dumps(value, default=str, skipkeys=True)
    if len(text) > MAX_CHARACTERS:
        return {"left_out": f"{len(text):,} characters"}
    return json.loads(text, parse_constant=lambda name: None)  # NaN and Infinity are not JSON.
