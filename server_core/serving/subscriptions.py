"""`subscriptions/listen`: a request that stays open, on which its client is told what changes.

Rule 1: the acknowledgement comes first, and says what will be told; nothing else ever is.
Rule 2: everything that is sent on it carries its id, which is that of the request, in the same type.
Rule 3: the client ends it by cancelling the request or by leaving; when we end it, it is answered.

Source: 2026-07-28, basic/patterns, subscriptions.
"""

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS, SERVER_BUSY
from server_core.protocol.envelope import SUBSCRIPTION_ID
from server_core.protocol.jsonrpc import Params, Request
from server_core.serving.list_changed import LISTS, Change, covers, list_changed
from server_core.serving.session_info import SessionInfo

if TYPE_CHECKING:
    from server_core.serving.server import Server
    from server_core.serving.stateless_call import Exchange
    from server_core.tasks.task import Task

MOST_ADDRESSES = 1000
"""How many resources, and how many tasks, one request may name."""


class Filter(NamedTuple):
    """What a client wants to be told.

    Attributes:
        lists: which lists: tools, resources, prompts.
        uris: of resources; None where it named none.
        tasks: ids of tasks; None where it named none.
    """

    lists: tuple[str, ...]
    uris: tuple[str, ...] | None
    tasks: tuple[str, ...] | None

    def to_wire(self) -> dict[str, Any]:
        """Return the filter as it goes over the wire."""
        wire: dict[str, Any] = {f"{kind}ListChanged": True for kind in self.lists}
        if self.uris is not None:
            wire["resourceSubscriptions"] = list(self.uris)
        if self.tasks is not None:
            wire["taskIds"] = list(self.tasks)
        return wire


class Listening:
    """One such request.

    Args:
        exchange: the request, and the way to its client.
        filter: what is told.
    """

    def __init__(self, exchange: "Exchange", filter: Filter) -> None:
        self.exchange = exchange
        self.tasks = frozenset(filter.tasks or ())
        self._id = {SUBSCRIPTION_ID: exchange.request_id}
        self._changes = frozenset(map(list_changed, filter.lists))
        self.uris = frozenset(filter.uris or ())
        self.send("notifications/subscriptions/acknowledged", {"notifications": filter.to_wire()})

    def wants(self, change: Change) -> bool:
        """Whether this change shall be told."""
        return covers(self.uris, change.uri) if change.uri else change in self._changes

    def notify_change(self, change: Change) -> None:
        """Send the notification of a change."""
        self.send(change.method, {"uri": change.uri} if change.uri else {})

    def send(self, method: str, params: Params) -> None:
        """Send a notification that belongs to this request."""
        self.exchange.notify(method, {**params, "_meta": {**params.get("_meta", {}), **self._id}})

    def end(self) -> None:
        """End it of our own accord: the client is told that this is no accident."""
        self.exchange.end_open_request({"resultType": "complete", "_meta": self._id})


class Listeners:
    """All such requests of one server.

    Args:
        server: tells them what changes.
    """

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._open: dict[Listening, None] = {}
        self._hears_of_tasks = False

    def __len__(self) -> int:
        return len(self._open)

    async def listen(self, exchange: "Exchange", wanted: Filter) -> dict[str, Any]:
        """Tell a client what it wants to know until either side ends that; only cancelling it ends the wait.

        Args:
            exchange: its request.
            wanted: what it wants to know; it is told which part of that it will hear.

        Raises:
            ProtocolError: when as many listen already as may.
            MissingCapability: when the client wants to hear of tasks and declares none.
        """
        tasks = None if wanted.tasks is None else await self._visible(exchange, wanted.tasks)
        ids = None if tasks is None else tuple(task.id for task in tasks)
        uris = None if wanted.uris is None else await self._known(wanted.uris)
        honoured = Filter(wanted.lists, uris, ids)
        if len(self._open) >= (most := self._server.settings.max_listeners):
            raise ProtocolError(SERVER_BUSY, f"{most} requests listen already, which is the most; try again later")
        if uris:
            self._server.watch_files()
        listening = Listening(exchange, honoured)
        self._open[listening] = None
        self._server.list_changes.add(listening)
        for task in tasks or ():
            # It may have come to its end already, and then nothing else would ever be told of it.
            self._task_changed(task, [listening])
        never: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        try:
            return await never
        finally:
            self._leave(listening)

    def addresses(self) -> Iterator[str]:
        """Yield the addresses of the resources that they want to hear of."""
        return (uri for one in self._open for uri in one.uris)

    def end(self, facts: SessionInfo) -> None:
        """End what the client of this session listens to."""
        for listening in [one for one in self._open if one.exchange.facts is facts]:
            self._leave(listening)
            listening.end()

    def _leave(self, listening: Listening) -> None:
        self._open.pop(listening, None)
        self._server.list_changes.remove(listening)

    async def _known(self, uris: tuple[str, ...]) -> tuple[str, ...]:
        """The addresses that exist, as soon as that is known."""
        await self._server.loaded.wait()
        return tuple(filter(self._server.catalog.has_resource, uris))

    async def _visible(self, exchange: "Exchange", ids: tuple[str, ...]) -> "list[Task]":
        """The tasks that the client may see. Source: the tasks extension, task status notifications."""
        from server_core.tasks.extension_wire import check_declared

        check_declared(exchange.capabilities)
        if not self._hears_of_tasks:
            self._hears_of_tasks = True
            self._server.tasks.watch(lambda task: self._task_changed(task, self._open))
        found: list[Task] = []
        for id in ids:
            with contextlib.suppress(ProtocolError):
                found.append(await self._server.tasks.find(id, exchange.owner))
        return found

    def _task_changed(self, task: "Task", listeners: Iterable[Listening]) -> None:
        from server_core.tasks.extension_wire import view

        hearing = [one for one in listeners if task.id in one.tasks]
        if hearing:
            params = view(task)
            for one in hearing:
                one.send("notifications/tasks", params)


async def listen(server: "Server", caller: "Exchange", request: Request) -> dict[str, Any]:
    """Tell the client what changes until either side ends that. Source: basic/patterns, subscriptions."""
    return await server.listeners.listen(caller, read_filter(request.params))


def read_filter(params: Params) -> Filter:
    """Return what a client wants to be told.

    Args:
        params: those of its request.

    Raises:
        ProtocolError: INVALID_PARAMS when something in it is of the wrong type, or too much.
    """
    wanted = params.get("notifications")
    if not isinstance(wanted, dict):
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object')
    lists = tuple(kind for kind in LISTS if _flag(wanted, f"{kind}ListChanged"))
    return Filter(lists, _texts(wanted, "resourceSubscriptions"), _texts(wanted, "taskIds"))


def _flag(wanted: dict[str, Any], name: str) -> bool:
    value = wanted.get(name, False)
    if not isinstance(value, bool):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "notifications.{name}" must be true or false')
    return value


def _texts(wanted: dict[str, Any], name: str) -> tuple[str, ...] | None:
    if name not in wanted:
        return None
    values = wanted[name]
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "notifications.{name}" must be an array of strings')
    if len(values) > MOST_ADDRESSES:
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "notifications.{name}" has more than {MOST_ADDRESSES}')
    return tuple(dict.fromkeys(values))
