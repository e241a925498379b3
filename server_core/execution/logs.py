"""`context.log`: messages for whoever watches the client.

Rule: a message that the client does not want costs nothing but the question whether it does; one that it wants waits
until the client has taken enough of those before it.
"""

from typing import TYPE_CHECKING, Any

from server_core.protocol.methods import LOG_LEVELS

if TYPE_CHECKING:
    from server_core.execution.context import Context

MESSAGE = "notifications/message"


class Log:
    """Sends messages that belong to one call.

    Args:
        context: of the call.

    Source: server/utilities/logging.
    """

    def __init__(self, context: "Context") -> None:
        self._context = context

    async def log(self, level: str, message: str, *, logger: str | None = None, **extra: Any) -> None:
        """Send a message.

        Args:
            level: one of the eight levels of RFC 5424, in lower case.
            message: the text.
            logger: which part of the tool it comes from.
            extra: more facts; what has no form in JSON is sent as its text.

        Raises:
            ValueError: when there is no such level.
        """
        if level not in LOG_LEVELS:
            raise ValueError(f"no log level {level!r}; use one of {', '.join(LOG_LEVELS)}.")
        wanted = self._context.port.log_level
        if wanted is None or LOG_LEVELS.index(level) < LOG_LEVELS.index(wanted):
            return
        params: dict[str, Any] = {"level": level}
        if logger is not None:
            params["logger"] = logger
        params["data"] = {"message": message, "extra": _json_safe(extra)} if extra else message
        await self._context.notify(MESSAGE, params)

    async def debug(self, message: str, **extra: Any) -> None:
        """Send a message of level `debug`: for whoever looks for a mistake."""
        await self.log("debug", message, **extra)

    async def info(self, message: str, **extra: Any) -> None:
        """Send a message of level `info`: what goes on."""
        await self.log("info", message, **extra)

    async def notice(self, message: str, **extra: Any) -> None:
        """Send a message of level `notice`: normal, but worth a look."""
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
        """Send a message of level `alert`: somebody has to act at once."""
        await self.log("alert", message, **extra)

    async def emergency(self, message: str, **extra: Any) -> None:
        """Send a message of level `emergency`: the system cannot be used."""
        await self.log("emergency", message, **extra)


def _json_safe(value: Any) -> Any:
    import json

    return json.loads(json.dumps(value, default=str, skipkeys=True), parse_constant=lambda name: None)
