"""`subscriptions/listen`: a request that stays open, and on which the client is notified of changes.

Rule 1: the acknowledgement is sent first, and lists the notifications that will be sent; no others are.
Rule 2: every notification has the subscription's id, which is the id of the request, with the same type.
Rule 3: the client ends it by cancelling the request or by disconnecting; when the server ends it, the request is
answered.

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
    from server_core.serving.stateless_call import StatelessCall
    from server_core.tasks.task import TaskState

MAX_NAMES = 1000
"""How many resources, and how many tasks, one request may name."""


class ChangeFilter(NamedTuple):
    """The notifications that a client subscribes to."""

    lists: tuple[str, ...]  # tools, resources, prompts
    # None where the client gives none; the acknowledgement repeats those that exist.
    uris: tuple[str, ...] | None
    tasks: tuple[str, ...] | None

    def to_wire(self) -> dict[str, Any]:
        """Return the filter as JSON members."""
        wire: dict[str, Any] = {f"{kind}ListChanged": True for kind in self.lists}
        if self.uris is not None:
            wire["resourceSubscriptions"] = list(self.uris)
        if self.tasks is not None:
            wire["taskIds"] = list(self.tasks)
        return wire


class ListenRequest:
    """An open `subscriptions/listen` request; the acknowledgement is sent when it is created."""

    def __init__(self, call: "StatelessCall", filter: ChangeFilter) -> None:
        self.call = call
        self.tasks = frozenset(filter.tasks or ())
        self._id = {SUBSCRIPTION_ID: call.request_id}
        self._changes = frozenset(map(list_changed, filter.lists))
        self.uris = frozenset(filter.uris or ())
        self.send("notifications/subscriptions/acknowledged", {"notifications": filter.to_wire()})

    def wants(self, change: Change) -> bool:
        return covers(self.uris, change.uri) if change.uri else change in self._changes

    def notify_change(self, change: Change) -> None:
        self.send(change.method, {"uri": change.uri} if change.uri else {})

    def send(self, method: str, params: Params) -> None:
        """Send a notification that belongs to this request."""
        self.call.notify(method, {**params, "_meta": {**params.get("_meta", {}), **self._id}})

    def end(self) -> None:
        """End the subscription on the server's side, with a result that shows that this is intended."""
        self.call.end_open_request({"resultType": "complete", "_meta": self._id})


class Listeners:
    """All subscriptions of one server."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._open: dict[ListenRequest, None] = {}
        self._watches_tasks = False

    def __len__(self) -> int:
        return len(self._open)

    async def listen(self, call: "StatelessCall", requested: ChangeFilter) -> dict[str, Any]:
        """Notify a client of changes until either side ends the subscription; never returns, except by cancellation.

        ProtocolError for too many subscriptions, MissingCapability for tasks without the extension.
        """
        tasks = None if requested.tasks is None else await self._visible_tasks(call, requested.tasks)
        task_ids = None if tasks is None else tuple(task.id for task in tasks)
        uris = None if requested.uris is None else await self._existing_uris(requested.uris)
        granted = ChangeFilter(requested.lists, uris, task_ids)
        if len(self._open) >= (most := self._server.settings.max_listeners):
            raise ProtocolError(SERVER_BUSY, f"{most} requests listen already, which is the maximum; try again later")
        if uris:
            self._server.watch_files()
        listener = ListenRequest(call, granted)
        self._open[listener] = None
        self._server.list_changes.add(listener)
        for task in tasks or ():
            # A task that has ended already does not change any more, so its state is sent now.
            self._task_changed(task, [listener])
        never: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        try:
            return await never
        finally:
            self._remove(listener)

    def uris(self) -> Iterator[str]:
        """Yield the URIs of all subscriptions."""
        return (uri for listener in self._open for uri in listener.uris)

    def end(self, session_info: SessionInfo) -> None:
        """End the subscriptions of this session."""
        for listener in [listener for listener in self._open if listener.call.session_info is session_info]:
            self._remove(listener)
            listener.end()

    def _remove(self, listener: ListenRequest) -> None:
        self._open.pop(listener, None)
        self._server.list_changes.remove(listener)

    async def _existing_uris(self, uris: tuple[str, ...]) -> tuple[str, ...]:
        """Return the URIs that exist, once the catalog is loaded."""
        await self._server.loaded.wait()
        return tuple(filter(self._server.catalog.has_resource, uris))

    async def _visible_tasks(self, call: "StatelessCall", task_ids: tuple[str, ...]) -> "list[TaskState]":
        """Return the tasks that the client may see. Source: the tasks extension, task status notifications."""
        from server_core.tasks.extension_wire import check_declared

        check_declared(call.client.capabilities)
        if not self._watches_tasks:
            self._watches_tasks = True
            self._server.tasks.watch(lambda task: self._task_changed(task, self._open))
        tasks: list[TaskState] = []
        for task_id in task_ids:
            with contextlib.suppress(ProtocolError):
                tasks.append(await self._server.tasks.find(task_id, call.owner))
        return tasks

    def _task_changed(self, task: "TaskState", listeners: Iterable[ListenRequest]) -> None:
        from server_core.tasks.extension_wire import task_json

        matches = [listener for listener in listeners if task.id in listener.tasks]
        if matches:
            params = task_json(task)
            for listener in matches:
                listener.send("notifications/tasks", params)


async def listen(server: "Server", caller: "StatelessCall", request: Request) -> dict[str, Any]:
    """Answer `subscriptions/listen`. Source: basic/patterns, subscriptions."""
    return await server.listeners.listen(caller, read_filter(request.params))


def read_filter(params: Params) -> ChangeFilter:
    """Return the filter in a request; INVALID_PARAMS if a member has the wrong type or too many entries."""
    wanted = params.get("notifications")
    if not isinstance(wanted, dict):
        raise ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object')
    lists = tuple(kind for kind in LISTS if _flag(wanted, f"{kind}ListChanged"))
    return ChangeFilter(lists, _texts(wanted, "resourceSubscriptions"), _texts(wanted, "taskIds"))


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
    if len(values) > MAX_NAMES:
        raise ProtocolError(INVALID_PARAMS, f'Invalid params: "notifications.{name}" has more than {MAX_NAMES}')
    return tuple(dict.fromkeys(values))
