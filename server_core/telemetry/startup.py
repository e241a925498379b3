"""Enable traces and metrics for a core, from before it serves until after its last call."""

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
    """Send the traces and metrics of a core within the `async with` block; errors as in :func:`connect`."""
    server = core.server
    if not isinstance(server, Server):
        raise ConfigurationError("--otel-enable traces tools that are served here, but this core relays a server.")
    identity = core.identity
    collector = await core.run_on_thread(lambda: connect(identity.name, identity.version))
    instrument(server, collector)
    try:
        yield
    finally:
        # The rest is flushed within the grace period of the shutdown.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(core.settings.shutdown_grace):
                await core.run_on_thread(collector.close)


def instrument(server: Server, collector: Collector) -> None:
    try:
        from server_core.telemetry.spans import CallSpans
    except ImportError:
        raise ConfigurationError(MISSING) from None

    def toolkit_of(tool: Tool | None) -> tuple[str, str]:
        identity, toolkit = server.identity, None if tool is None else tool.toolkit
        if toolkit is None:
            return identity.name, identity.version
        return toolkit.name or identity.name, toolkit.version or identity.version

    spans = CallSpans(
        collector.tracer, collector.calls, toolkit_of, server.settings.environment, server.tap.masker.mask_text
    )
    server.instrument(Instruments(spans, spans.run_tool))
