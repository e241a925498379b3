"""A core that sends traces and counts: begun before it serves, ended behind its last call."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from server_core.catalog.definitions import Tool
from server_core.errors import ConfigurationError
from server_core.serving.middleware_chain import Instruments
from server_core.serving.server import Server
from server_core.telemetry.collector import MISSING, Collector, connect

if TYPE_CHECKING:
    from server_core.core import Core


@contextlib.asynccontextmanager
async def traced(core: "Core") -> AsyncIterator[None]:
    """Send the traces and counts of a core for as long as this context is entered.

    Args:
        core: serves tools of ours.

    Raises:
        ConfigurationError: when it relays another server, or OpenTelemetry is not installed.
        ConnectionFailed: when the collector cannot be reached.
    """
    server = core.server
    if not isinstance(server, Server):
        raise ConfigurationError("--otel-enable traces tools that are served here, and this core relays a server.")
    who = core.identity
    collector = await core.on_thread(lambda: connect(who.name, who.version))
    instrument(server, collector)
    try:
        yield
    finally:
        # What is left is sent in the time that calls have at the end.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(core.settings.shutdown_grace):
                await core.on_thread(collector.close)


def instrument(server: Server, collector: Collector) -> None:
    """Make spans of what a server does, and count its calls.

    Args:
        server: the server.
        collector: what they are sent with.

    Raises:
        ConfigurationError: when OpenTelemetry is not installed.
    """
    try:
        from server_core.telemetry.spans import CallSpans
    except ImportError:
        raise ConfigurationError(MISSING) from None

    def toolkit(tool: Tool | None) -> tuple[str, str]:
        who, group = server.identity, None if tool is None else tool.toolkit
        return (group.name or who.name, group.version or who.version) if group else (who.name, who.version)

    spans = CallSpans(
        collector.tracer, collector.calls, toolkit, server.settings.environment, server.tap.masker.mask_text
    )
    server.instrument(Instruments(spans, spans.run_tool))
