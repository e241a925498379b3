"""What the clients that build on the official Python SDK have in common: its types, as they are on the wire."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import mcp_types as types
from checking import Lacking, Refused
from client import Answers, Json, OnProgress, Started
from mcp import ClientSession, MCPError
from mcp.client.subscriptions import ResourceUpdated, listen
from pydantic import BaseModel

R = TypeVar("R")
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
MODES = {"handshake": "legacy", "stateless": "2026-07-28", "auto": "auto"}


class SdkClient:
    """A session, as the checks want it; how each library makes its requests is below it.

    Args:
        how: how the program was started.
    """

    client: Any
    """The library's own client, connected."""

    def __init__(self, how: Started) -> None:
        self.how = how
        self.era = how.era
        self.answers = Answers()
        self.logs: list[Json] = []
        self.notifications: list[tuple[str, str]] = []
        self.meta: Json = {}
        """What goes along with each call."""

    @property
    def session(self) -> ClientSession:
        """The SDK's session below."""
        session: ClientSession = self.client.session
        return session

    @property
    def revision(self) -> str:
        return str(self.client.protocol_version)

    @property
    def server_info(self) -> Json:
        return wire(self.client.server_info) if self.client.server_info is not None else {}

    @property
    def instructions(self) -> str:
        return self.client.instructions or ""

    @property
    def capabilities(self) -> Json:
        # A client that has the era discovers nothing.
        return wire(self.client.server_capabilities)

    async def call_as_task(self, name: str, arguments: Json | None = None) -> Json:
        if not any("task" in name for name in dir(self.client) if not name.startswith("_")):
            raise Lacking("The client's library has no tasks.")
        raise NotImplementedError("The library has tasks now: call it as a task here.")

    async def set_log_level(self, level: str) -> None:
        if self.revision == "2026-07-28":
            self.meta = {LOG_LEVEL: level}
        else:
            await asked(self.client.set_logging_level(level))

    @asynccontextmanager
    async def hearing(self, uri: str = "") -> AsyncIterator[None]:
        if self.revision == "2026-07-28":
            wanted = {"resource_subscriptions": [uri]} if uri else {"tools_list_changed": True}
            async with listen(self.session, **wanted) as subscription, asyncio.TaskGroup() as group:
                following = group.create_task(self._follow(subscription))
                yield
                following.cancel()
        elif uri:
            await asked(self.session.subscribe_resource(uri))
            yield
            await asked(self.session.unsubscribe_resource(uri))
        else:
            yield

    async def notified(self, message: Any) -> None:
        """Record a notification of the server."""
        if isinstance(message, types.ResourceUpdatedNotification):
            self.notifications.append((message.method, str(message.params.uri)))
        elif isinstance(message, types.ToolListChangedNotification):
            self.notifications.append((message.method, ""))

    async def logged(self, params: types.LoggingMessageNotificationParams) -> None:
        """Keep a log message."""
        self.logs.append(wire(params))

    async def _follow(self, subscription: AsyncIterator[Any]) -> None:
        async for event in subscription:
            if isinstance(event, ResourceUpdated):
                self.notifications.append(("notifications/resources/updated", str(event.uri)))
            else:
                self.notifications.append(("notifications/tools/list_changed", ""))


def wire(model: BaseModel) -> Json:
    """Return what a value of the SDK is on the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def asked(request: Awaitable[R]) -> R:
    """Return the result of a request.

    Raises:
        Refused: when the server answered with an error.
    """
    try:
        return await request
    except MCPError as error:
        raise Refused(error.error.code, error.error.message) from error


def reporting(on_progress: OnProgress | None) -> Any:
    """Return what the SDK calls with each progress report."""
    if on_progress is None:
        return None

    async def report(progress: float, total: float | None, message: str | None) -> None:
        on_progress({"progress": progress, "total": total, "message": message})

    return report
