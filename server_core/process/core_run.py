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
from server_core.process.shutdown import Shutdown, run_until_complete
from server_core.process.stdio_guard import StdioGuard
from server_core.runtime.background import spawn
from server_core.runtime.console import DONE, INTERRUPTED, MISUSED, UNREACHABLE, write
from server_core.runtime.processes import before_force
from server_core.runtime.upstream_options import UpstreamOptions

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp

# Seconds to serve the first client on stdio before the tools, the capture and the link are started.
STDIO_HEAD_START = 0.25
# Seconds between two checks; use of the core that begins and ends between them does not count.
IDLE_CHECK_INTERVAL = 5.0


def serve(
    arguments: Arguments,
    app: "DeclaredApp | None" = None,
    early: EarlyHandshake | None = None,
    *,
    ends_process: bool = False,
) -> int:
    """Run a core on a new event loop until it is stopped, and return the exit code.

    Args:
        app: an app object to serve, when the command line has no path and no other server.
        early: the messages that have been exchanged on stdio already.
        ends_process: the process has no other purpose, and exits after this call: then threads and `atexit` functions
            that a tool has left cannot delay the exit for long.
    """
    shutdown = Shutdown()
    try:
        run_until_complete(_run(arguments, app, early, shutdown))
    except ConfigurationError as error:
        write(f"workbench: {error}")
        return MISUSED
    except ConnectionFailed as error:
        write(f"workbench: {error}")
        return UNREACHABLE
    finally:
        if ends_process:
            shutdown.leave()
        else:
            shutdown.close()
    return INTERRUPTED if shutdown.interrupted else DONE


async def _run(
    arguments: Arguments, app: "DeclaredApp | None", early: EarlyHandshake | None, shutdown: Shutdown
) -> None:
    core = Core(
        project=arguments.path,
        app=app,
        upstream=arguments.upstream or list(arguments.command) or None,
        upstream_options=UpstreamOptions.take(),
        reload=arguments.reload,
        capture=arguments.capture,
        id=arguments.core_id,
        mode=arguments.mode,
    )
    stdio_guard = StdioGuard(core.tap)
    if reports_faults := faulthandler.is_enabled():
        # The contents of a pipe are lost when the process is killed, so this report bypasses it.
        faulthandler.enable(stdio_guard.stderr.fd)
    before_force.append(stdio_guard.drain)
    if arguments.stdio or arguments.http:
        log_failures(core, write)
        log_load_errors(core, write)
        if core.settings.show_packages:
            log_packages(core, lambda line: write(f"workbench: {line}"))
    shutdown.request_stop_with(core.stop_requested, core.settings.shutdown_grace, core.close_capture)
    if arguments.stdio:
        shutdown.watch_client(stdio_guard.wire_in)
    try:
        async with _tracing(core, arguments):
            try:
                await core.start(STDIO_HEAD_START if arguments.stdio else 0.0)
                await _run_until_stopped(core, _serve(core, stdio_guard, arguments, early))
            finally:
                shutdown.begin()
                await core.stop()
    finally:
        before_force.remove(stdio_guard.drain)
        if reports_faults:
            faulthandler.disable()
        stdio_guard.close()
        if reports_faults:
            faulthandler.enable(2)
        shutdown.hurry()


@contextlib.asynccontextmanager
async def _tracing(core: Core, arguments: Arguments) -> AsyncIterator[None]:
    """Send traces within this context, if that is enabled."""
    if not (arguments.otel or core.settings.otel_enable):
        yield
        return
    from server_core.telemetry.startup import traced

    async with traced(core):
        yield


async def _serve(core: Core, stdio_guard: StdioGuard, arguments: Arguments, early: EarlyHandshake | None) -> None:
    if arguments.stdio:
        await core.serve_stdio(stdio_guard, early)
    elif arguments.http:
        await core.http.serve(
            arguments.host, arguments.port, lambda url: write(f"workbench: serving {core.title} at {url}")
        )
    else:
        await wait_until_idle(core, core.settings.idle_seconds)


async def _run_until_stopped(core: Core, serving: Coroutine[Any, Any, None]) -> None:
    """Serve until serving ends by itself, or a stop of the core is requested."""
    serve = spawn(_catch_refusal(serving), "serve")
    stop = spawn(core.stop_requested.wait(), "wait for the end")
    try:
        await asyncio.wait({serve, stop}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.cancel()
        serve.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        if refusal := await serve:
            raise refusal


async def _catch_refusal(serving: Coroutine[Any, Any, None]) -> ConfigurationError | ConnectionFailed | None:
    # Returned, not raised: a failed task is logged as a bug, which this is not.
    try:
        await serving
    except (ConfigurationError, ConnectionFailed) as error:
        return error
    return None


async def wait_until_idle(core: Core, seconds: float) -> None:
    """Return once there was no terminal, no session and no HTTP server for so long; never return if `seconds` is 0.

    A terminal that is quit through its dialog stops its core, or has it serve HTTP. A terminal whose window is closed,
    or that is killed, does neither, and its core would run for ever.
    """
    if not seconds:
        await asyncio.Event().wait()
    loop = asyncio.get_running_loop()
    last_use = loop.time()
    while loop.time() - last_use < seconds:
        await asyncio.sleep(min(IDLE_CHECK_INTERVAL, seconds / 4))
        if core.is_in_use:
            last_use = loop.time()
    core.tap.emit_event("idle_stopped", id=core.id, seconds=seconds)
