"""Our client: the session that `workbench call` uses, and the command itself.

With `--everything`, the server is server-everything.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from checking import Lacking, Refused
from checks import checks
from client import ROOT, STATELESS, Answers, Json, OnProgress, Started, started
from commands import ERAS, add_commands
from everything import checks as everything

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.jsonrpc import Notification
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession
from workbench.client.session_opening import open_session
from workbench.client.target import Era, Target, route_to

METHODS = {
    "tools": ClientSession.list_tools,
    "resources": ClientSession.list_resources,
    "resourceTemplates": ClientSession.list_resource_templates,
    "prompts": ClientSession.list_prompts,
}
PATHS = {"resourceTemplates": "resources/templates/list"}


class OurClient:
    """A session of ours, as the checks want it.

    Args:
        how: how the program was started.
    """

    def __init__(self, how: Started) -> None:
        self.how = how
        self.era = how.era
        self.answers = Answers()
        self.logs: list[Json] = []
        self.notifications: list[tuple[str, str]] = []
        self.session: ClientSession

    @property
    def revision(self) -> str:
        return self.session.revision.date

    @property
    def server_info(self) -> Json:
        return self.session.server_info

    @property
    def instructions(self) -> str:
        return self.session.instructions

    @property
    def capabilities(self) -> Json:
        return self.session.capabilities

    async def list(self, kind: str) -> tuple[list[Json], int]:
        entries = await METHODS[kind](self.session, fresh=True)
        first = await self._request(PATHS.get(kind, f"{kind}/list"), {})
        return entries, 2 if "nextCursor" in first else 1

    async def call(self, name: str, arguments: Json | None = None, on_progress: OnProgress | None = None) -> Json:
        call = self.session.call_tool(
            name,
            arguments or {},
            on_progress=lambda report: on_progress(vars_of(report)) if on_progress is not None else None,
        )
        try:
            return await call.result()
        except RemoteError as error:
            raise Refused(error.code, error.message) from error
        except asyncio.CancelledError:
            call.cancel()
            raise

    async def call_as_task(self, name: str, arguments: Json | None = None) -> Json:
        declared = self.capabilities.get("tasks") or self.capabilities.get("extensions", {}).get(
            "io.modelcontextprotocol/tasks"
        )
        if declared is None:
            raise Lacking("The server declares no tasks.")
        return await self.session.call_tool(name, arguments or {}, task={}).result()

    async def read(self, uri: str) -> Json:
        return await self._request("resources/read", {"uri": uri})

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return await self.session.get_prompt(name, arguments)

    async def complete(self, ref: Json, argument: dict[str, str]) -> Json:
        return await self.session.complete(ref, argument)

    async def set_log_level(self, level: str) -> None:
        if "logging" not in self.capabilities:
            raise Lacking("The server declares no log messages.")
        await self.session.set_log_level(level)

    @asynccontextmanager
    async def hearing(self, uri: str = "") -> AsyncIterator[None]:
        if uri:
            await self.session.subscribe(uri)
        yield
        if uri:
            await self.session.unsubscribe(uri)

    def on_notification(self, notification: Notification) -> None:
        """Record a notification of the server."""
        if notification.method == "notifications/message":
            self.logs.append(dict(notification.params))
        elif notification.method.endswith(("/list_changed", "/updated")):
            self.notifications.append((notification.method, str(notification.params.get("uri", ""))))

    def asked(self, question: Question) -> bool:
        """Answer what the server asks."""
        answer = self.answers.elicit if question.kind == "elicitation" else self.answers.create_message
        return question.answer(answer(dict(question.params)))

    async def _request(self, method: str, params: Json) -> Json:
        try:
            return await self.session.request(method, params)
        except RemoteError as error:
            raise Refused(error.code, error.message) from error


def vars_of(report: Any) -> Json:
    """Return a progress report as on the wire."""
    return {"progress": report.progress, "total": report.total, "message": report.message}


@asynccontextmanager
async def connected(how: Started) -> AsyncIterator[OurClient]:
    """Begin a session, in the way that `workbench call` does."""
    client = OurClient(how)
    route = await route_to(Target(url=how.url, command=tuple(how.command)), on_stderr=lambda line: None)
    try:
        client.session = await open_session(
            route,
            Era(ERAS[how.era]),
            questions=PendingQuestions([client.asked]),
            roots=[{"uri": ROOT, "name": "interop"}],
            on_notification=client.on_notification,
            listen=True,
        )
    except ConnectionFailed as error:
        if how.era == STATELESS and "does not support" in str(error):
            raise Lacking("The server does not speak 2026-07-28.") from error
        raise
    try:
        yield client
    finally:
        await client.session.close()
        await route.close()


def main() -> None:
    """Try everything that the server of these options has."""
    how = started()
    if "--everything" in how.rest:
        tried = everything
        ask = ["trigger-elicitation-request", "--answer", '{"name": "Ada"}']
        conditions = {"temperature": 33, "conditions": "Cloudy", "humidity": 82}
        add_commands(tried, ["get-structured-content", "location=New York"], conditions, ask, "Name: Ada")
    else:
        tried = checks
        ask = ["ask_name", "--answer", '{"name": "Ada"}']
        add_commands(tried, ["weigh", "item=tea"], {"item": "tea", "grams": 300}, ask, "Hello, Ada!")
    asyncio.run(tried.run(lambda: connected(how)))


if __name__ == "__main__":
    main()
