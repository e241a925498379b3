"""Run a core in its own process: for a client on stdio, over HTTP, or for terminals only.

Exit codes: 0 done, 2 usage or configuration, 3 no collector for traces, or lost connection to the relayed server, 130
interrupted. Errors are written to standard error.
"""

import asyncio
import contextlib
import faulthandler
from collections.abc import AsyncIterator, Coroutine
from typing import TYPE_CHECKING, Any

from server_core.core import Core
from server_core.errors import ConfigurationError, ConnectionFailed
from server_core.process.author_notes import log_failures, log_load_errors, log_packages
from server_core.process.command_line import Arguments
from server_core.process.early_handshake import EarlyHandshake
from server_core.process.shutdown import Shutdown, run_to_its_end
from server_core.process.stdio_guard import StdioGuard
from server_core.runtime.background import spawn
from server_core.runtime.console import DONE, INTERRUPTED, MISUSED, UNREACHABLE, write
from server_core.runtime.process_exit import before_force

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp

# Seconds to serve the first client on stdio before the tools, the capture and the link are started.
HEAD_START = 0.25


def serve(
    chosen: Arguments, app: "MCPApp | None" = None, early: EarlyHandshake | None = None, *, is_all: bool = False
) -> int:
    """Run a core on a new event loop until it is stopped.

    Args:
        chosen: the parsed command line.
        app: an app object to serve, when the command line has no path and no other server.
        early: the messages that have been exchanged on stdio already.
        is_all: the process has no other purpose, and is about to end.

    Returns:
        The exit code.
    """
    ending = Shutdown()
    try:
        run_to_its_end(_run(chosen, app, early, ending))
    except ConfigurationError as error:
        write(f"workbench: {error}")
        return MISUSED
    except ConnectionFailed as error:
        write(f"workbench: {error}")
        return UNREACHABLE
    finally:
        if is_all:
            ending.leave()
        else:
            ending.close()
    return INTERRUPTED if ending.interrupted else DONE


async def _run(chosen: Arguments, app: "MCPApp | None", early: EarlyHandshake | None, ending: Shutdown) -> None:
    core = Core(
        project=chosen.path,
        app=app,
        upstream=chosen.upstream or list(chosen.command) or None,
        reload=chosen.reload,
        capture=chosen.capture,
        id=chosen.core_id,
        mode=chosen.mode,
    )
    stdio_guard = StdioGuard(core.tap)
    if reports_faults := faulthandler.is_enabled():
        # The contents of a pipe are lost when the process is killed, so this report bypasses it.
        faulthandler.enable(stdio_guard.stderr.fd)
    before_force.append(stdio_guard.drain)
    if chosen.stdio or chosen.http:
        log_failures(core, write)
        log_load_errors(core, write)
        if core.settings.show_packages:
            log_packages(core, lambda line: write(f"workbench: {line}"))
    ending.ask(core.stop_requested, core.settings.shutdown_grace, core.close_capture)
    if chosen.stdio:
        ending.watch_client(stdio_guard.wire_in)
    try:
        async with _traced(core, chosen):
            try:
                await core.start(HEAD_START if chosen.stdio else 0.0)
                await _until_stopped(core, _serve(core, stdio_guard, chosen, early))
            finally:
                ending.begin()
                await core.stop()
    finally:
        before_force.remove(stdio_guard.drain)
        if reports_faults:
            faulthandler.disable()
        stdio_guard.close()
        if reports_faults:
            faulthandler.enable(2)
        ending.hurry()


@contextlib.asynccontextmanager
async def _traced(core: Core, chosen: Arguments) -> AsyncIterator[None]:
    """Send traces within this context, if that is enabled."""
    if not (chosen.otel or core.settings.otel_enable):
        yield
        return
    from server_core.telemetry.startup import traced

    async with traced(core):
        yield


async def _serve(core: Core, stdio_guard: StdioGuard, chosen: Arguments, early: EarlyHandshake | None) -> None:
    if chosen.stdio:
        await core.serve_stdio(stdio_guard, early)
    elif chosen.http:
        await core.serve_http(chosen.host, chosen.port, lambda url: write(f"workbench: serving {core.title} at {url}"))
    else:
        from server_core.process.idle_timeout import until_idle

        await until_idle(core, core.settings.idle_seconds)


async def _until_stopped(core: Core, serving: Coroutine[Any, Any, None]) -> None:
    """Serve until serving ends by itself, or a stop of the core is requested."""
    serve = spawn(_refusal(serving), "serve")
    stop = spawn(core.stop_requested.wait(), "wait for the end")
    try:
        await asyncio.wait({serve, stop}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.cancel()
        serve.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        if refusal := await serve:
            raise refusal


async def _refusal(serving: Coroutine[Any, Any, None]) -> ConfigurationError | ConnectionFailed | None:
    # Returned, not raised: a failed task is logged as a bug, which this is not.
    try:
        await serving
    except (ConfigurationError, ConnectionFailed) as error:
        return error
    return None
