"""The session of a command with its server, and the messages about it on stderr."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import REVISIONS
from server_core.runtime.paths import current_folder
from workbench.cli import console
from workbench.cli.line_prompts import Asker
from workbench.client.questions import PendingQuestions
from workbench.client.session import HANDSHAKE_SECONDS, ClientSession
from workbench.client.session_opening import open_session
from workbench.client.target import Era, Route, Target, route_to
from workbench.model.describe import plural
from workbench.model.personas import WORKBENCH, Persona
from workbench.model.short_text import escaped

if TYPE_CHECKING:
    from server_core.catalog.problems import Problem
    from server_core.oauth.grants import UserConsent

SILENT_S = 5.0
"""Seconds after which the user learns that a server has not answered yet."""


@asynccontextmanager
async def connected(
    target: Target, era: Era = Era.AUTO, *, tool: str = "", **options: Any
) -> AsyncIterator[ClientSession]:
    """Open a session with a server, and close it and everything that was started for it.

    Args:
        tool: the tool that the command is about, if any: warnings about other tools are only counted.
        options: those of :func:`reached`, and of :meth:`ClientSession.open`.
    """
    async with reached(target, era, **options) as (session, route):
        try:
            yield session
        finally:
            _report_problems(route, tool)


@asynccontextmanager
async def reached(
    target: Target,
    era: Era = Era.AUTO,
    *,
    questions: PendingQuestions | None = None,
    on_notification: Callable[[Notification], None] | None = None,
    timeout: float | None = None,
    secrets: Mapping[str, str] | None = None,
    on_stderr: Callable[[bytes], None] | None = None,
    capture: bool = False,
    persona: Persona = WORKBENCH,
    **options: Any,
) -> AsyncIterator[tuple[ClientSession, Route]]:
    """Yield a session and its route as :func:`connected` does, without reporting problems of its tools.

    Args:
        timeout: seconds for the first response; when not given, enough for any server, and for a login of the user.
        secrets: values that are sent, to be masked in the capture of a project.
        on_stderr: gets the lines on the stderr of the server's command; when not given, they go to ours.
        capture: whether a project has one.
        persona: the client that the server sees.
    """
    consent = consent_at_terminal() if target.url else None
    route = await _route(target, on_stderr or forward_stderr, consent, capture=capture)
    route.mask(secrets or {})
    limit = first_response_timeout(consent) if timeout is None else timeout
    try:
        with _explained_wait(limit):
            session = await open_session(
                route,
                era,
                questions=questions,
                roots=roots(route.project) if persona.roots is None else persona.roots,
                on_notification=on_notification,
                timeout=limit,
                client_info=persona.client_info or None,
                capabilities=persona.capabilities,
                preferred=REVISIONS.get(persona.revision),
                **options,
            )
        try:
            if session.probe_timed_out:
                console.write("the server did not answer server/discover; `--era legacy` skips this request")
            if session.revision.stateless:
                # Up to 2025-11-25, servers send all log messages by default.
                await session.set_log_level(LOG_LEVELS[0])
            yield session, route
        finally:
            await session.close()
            for name, reason in session.uncallable_tools.items():
                console.warn(f"the tool {name!r} is left out, since it cannot be called over HTTP: {reason}")
            if session.message_failures:
                count = plural(session.message_failures, "message")
                console.warn(f"{count} could not be read or delivered; the last: {session.last_message_failure}")
    finally:
        await route.close()


async def _route(
    target: Target, on_stderr: Callable[[bytes], None], consent: "UserConsent | None", *, capture: bool
) -> Route:
    if target.core:
        from workbench.cli.core_route import route_to_core

        return await route_to_core(target)
    return await route_to(target, on_stderr=on_stderr, consent=consent, capture=capture)


@contextmanager
def _explained_wait(limit: float) -> Iterator[None]:
    """Explain, once a server has been silent for a while, how long it is waited for."""
    text = f"the server does not answer yet; it has {limit:g} seconds (`list` and `call`: --timeout SECONDS)"
    timer = asyncio.get_running_loop().call_later(SILENT_S, console.write, text)
    try:
        yield
    finally:
        timer.cancel()


def consent_at_terminal() -> "UserConsent | None":
    """Return the way to ask the user to authorize us with a server; None when stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None
    from server_core.oauth import redirect_uri_from
    from server_core.oauth.browser import Browser

    return Browser(console.write, _agrees, redirect_uri_from())


def first_response_timeout(consent: "UserConsent | None") -> float:
    """Return the seconds for the first response of a server, with time for a login in the browser if there is one."""
    if consent is None:
        return HANDSHAKE_SECONDS
    from server_core.oauth.browser import AUTHORIZATION_SECONDS

    return HANDSHAKE_SECONDS + AUTHORIZATION_SECONDS


def roots(project: Path | None) -> tuple[dict[str, Any], ...]:
    """Return the roots of the client: the folder of a project, else the current folder, unless it has been removed."""
    if project is None:
        folder = current_folder()
    else:
        folder = project.resolve() if project.is_dir() else project.resolve().parent
    return () if folder is None else ({"uri": folder.as_uri(), "name": folder.name},)


def check_not_empty(target: Target, *parts: list[dict[str, Any]]) -> None:
    if target.project is not None and not any(parts):
        raise ConfigurationError(
            "No tools found. Create Python files with @tool decorated functions. `workbench files` shows which files"
            f" in {target.project} are served, and why others are not; `workbench new NAME` creates a project"
        )


def forward_stderr(line: bytes) -> None:
    console.write(line.decode("utf-8", "backslashreplace").rstrip("\r\n"))


async def _agrees(url: str) -> bool:
    async with Asker.at_terminal() as asker:
        return asker is not None and await asker.agrees_to_browser()


def _report_problems(route: Route, tool: str) -> None:
    about = route.problems_about(tool) if tool else route.problems
    reported = [problem for problem in route.problems if problem.severity == "error" or problem in about]
    for problem in reported:
        console.write(_describe(problem))
    if others := len(route.problems) - len(reported):
        console.write(f"{plural(others, 'warning')} about other parts of this project; see `workbench list`")


def _describe(problem: "Problem") -> str:
    place = f"{problem.file}:{problem.line}: " if problem.line else f"{problem.file}: " if problem.file else ""
    fix = f" {problem.fix}" if problem.fix else ""
    return escaped(f"{place}{problem.severity}: {problem.message}{fix}")
