"""The server: one catalog, served to every session.

Rule 1: `initialize` does not need the author's code; requests that need the catalog wait for the first load.
Rule 2: a swap is one step of the event loop. Running calls use the generation that they started with.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from server_core.errors import ProtocolError
from server_core.protocol import jsonrpc
from server_core.protocol.codes import METHOD_NOT_FOUND
from server_core.protocol.envelope import SERVER_INFO
from server_core.protocol.jsonrpc import Request
from server_core.protocol.revisions import LATEST_STATELESS, STATELESS_REVISIONS, Revision
from server_core.records.tap import Tap
from server_core.serving.access_rules import AccessRules
from server_core.serving.handshake import cache_hints, server_info
from server_core.serving.list_changed import LISTS, ListChanges, list_changed, resource_updated
from server_core.serving.method_table import LazyHandler
from server_core.serving.pages import Pages
from server_core.serving.session_info import SessionInfo, SessionRegistry
from server_core.serving.sessions import Session
from server_core.serving.subscriptions import Listeners
from server_core.serving.suspended_calls import SuspendedCalls
from server_core.transports.channel import Outlet

if TYPE_CHECKING:
    from server_core.auth.broker.broker import Broker
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.identity import Identity
    from server_core.loading.import_context import ContextValues
    from server_core.loading.project import Generation
    from server_core.protocol.headers import HeaderParameters
    from server_core.resource_server.admission import Gate
    from server_core.serving.method_table import Answer, Caller, Handler
    from server_core.serving.middleware_chain import Chain, Instruments
    from server_core.serving.resource_watcher import ResourceWatcher
    from server_core.settings import Settings
    from server_core.tasks.task_registry import TaskRegistry

WITHOUT_MIDDLEWARE = frozenset({"initialize", "server/discover", "ping"})
"""The methods that are answered before the author's code is loaded, and therefore without its middleware."""


class Server:
    """Serve a project as a :class:`ToolSource`; the identity is that before its code is loaded."""

    def __init__(
        self,
        tap: Tap,
        settings: "Settings",
        secret_values: Callable[[Iterable[str]], Awaitable[Mapping[str, str]]],
        identity: "Identity",
    ) -> None:
        self.tap = tap
        self.settings = settings
        self.secret_values = secret_values
        self.identity = identity
        self.generation: Generation | None = None
        # Cleared again while a changed app is not served yet; see ToolBackend.
        self.loaded = asyncio.Event()
        self.suspended_calls = SuspendedCalls(settings)
        self.list_changes = ListChanges(
            settings, on_dropped=lambda count: tap.emit_event("changes_dropped", count=count)
        )
        self.listeners = Listeners(self)
        self.list_hints = cache_hints(settings.list_ttl_seconds)
        self.chain: Chain | None = self._chain_before_load() if identity.has_middleware else None
        """The middleware that every message passes; None without middleware."""
        self.instruments: Instruments | None = None
        """The steps that observe the server; None without."""
        self.capabilities: dict[str, Any] = {}
        """The capabilities that middleware adds."""
        self.open_broker: Callable[[], Broker] | None = None
        """Returns the broker of tokens for people's accounts; None where tools cannot have tokens."""
        self.lifespan: Mapping[str, Any] = {}
        """The values of the apps' lifespans."""
        self.context_values: ContextValues = ()
        """The context variables that the files have set, for their calls."""
        self._sessions: SessionRegistry[Session] = SessionRegistry()
        self._pages: Pages | None = None
        self._allowed_origins: frozenset[str] = frozenset()
        self._access_rules = AccessRules()
        self.result_metas = self._encode_result_metas()
        """The JSON text of the `_meta` that every result has, by the date of the revision."""
        self._tasks: TaskRegistry | None = None
        self._resource_watcher: ResourceWatcher | None = None

    @property
    def tasks(self) -> "TaskRegistry":
        """The tasks of all clients."""
        if self._tasks is None:
            from server_core.tasks.task_registry import TaskRegistry

            self._tasks = TaskRegistry(self.settings)
        return self._tasks

    def runs_tasks_of(self, session: Session) -> bool:
        """Whether a task is running that this session can see."""
        return self._tasks is not None and self._tasks.runs_for(session.owner)

    def leave_tasks_of(self, session: Session) -> None:
        """Stop the tasks that no client can access any more, because this session has ended."""
        if self._tasks is not None:
            self._tasks.leave(session.owner)

    async def close_tasks(self) -> None:
        """Wait for the running tasks, for the grace period of calls at shutdown, and stop the others."""
        if self._tasks is not None:
            await self._tasks.close(self.settings.shutdown_grace)

    @cached_property
    def catalog(self) -> "Catalog":
        """The current catalog; empty before the first load. A swap replaces it."""
        from server_core.catalog.catalog import EMPTY

        return EMPTY

    @property
    def pages(self) -> Pages:
        """The lists of the catalog."""
        if self._pages is None:
            self._pages = Pages(
                self.catalog,
                size=self.settings.page_size,
                ttl=self.settings.list_ttl_seconds,
                server_info=self.info(LATEST_STATELESS),
            )
        return self._pages

    @property
    def sessions(self) -> Mapping[str, Session]:
        """The sessions by key: all that are open, and the last that were closed."""
        return self._sessions.sessions

    @property
    def calls(self) -> list[asyncio.Task[None]]:
        """The tasks of all running requests."""
        return [task for session in self.sessions.values() for task in session.calls]

    def open_session(
        self, outlet: Outlet, transport: str, *, peer_name: str = "", principal: str = "", id: str = ""
    ) -> Session:
        info = SessionInfo(self.tap, self._sessions.next_key(), transport, peer_name, id, principal=principal)
        session = Session(self, info, outlet, self._sessions.closed, principal)
        self._sessions.add(session)
        return session

    def answer(self, caller: "Caller", request: Request) -> "Answer":
        """Answer one request. All requests of clients, and all requests of tools to their own server, pass here.

        A request of a tool has a :class:`~server_core.serving.nested_caller.NestedCaller` and its own id:
        `await await_answer(server.answer(NestedCaller(context), Request(inner_id(), "tools/call", params)))`.
        Returns the result, its JSON text, or a coroutine of either; ProtocolError when it is refused at once.
        """
        if self.chain is not None and request.method not in WITHOUT_MIDDLEWARE:
            return self.chain.answer(caller, request)
        return self.answer_by_table(caller, request)

    def answer_by_table(self, caller: "Caller", request: Request) -> "Answer":
        """Answer a request that has passed the middleware; see :meth:`answer`."""
        handler: LazyHandler | Handler[Any] | None = caller.methods.get(request.method)
        if handler is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
        if isinstance(handler, LazyHandler):
            # Replaced in the table, so that later requests need no import.
            handler = caller.methods[request.method] = handler.load()
        return handler(self, caller, request)

    def info(self, revision: Revision) -> dict[str, Any]:
        """Return the `serverInfo` of this revision."""
        return server_info(self.identity, revision)

    @property
    def allowed_origins(self) -> frozenset[str]:
        return self._allowed_origins

    @property
    def may_ask_for_tokens(self) -> bool:
        return self.identity.has_auth

    @property
    def is_relayed(self) -> bool:
        return False

    async def gate(self) -> "Gate | None":
        """Wait until the apps are loaded, and return their access rules."""
        if self.generation is None:
            await self.loaded.wait()
        return self._access_rules.gate

    def header_parameters(self, tool: str) -> "HeaderParameters":
        definition = self.catalog.tool(tool)
        return definition.header_parameters if definition is not None else {}

    def instrument(self, instruments: "Instruments") -> None:
        """Pass every message through these steps as well, from now on."""
        self.instruments = instruments
        if self.generation is None:
            self.chain = self._chain_before_load()
        else:
            self._use_middleware(self.generation)

    def swap(self, generation: "Generation") -> None:
        """Serve this generation from now on, and notify the clients of the changes.

        The first generation only wakes the requests that wait for it: no client can have seen another list.
        """
        first = self.generation is None
        self.generation = generation
        self.catalog = generation.catalog
        self.identity = generation.identity
        self.context_values = generation.context_values
        self._use_middleware(generation)
        self._allowed_origins = frozenset().union(*(app.allowed_origins for app in generation.apps))
        self._access_rules.follow(generation)
        for app in generation.apps:
            app.server = self
        # Both contain the identity, which may have changed.
        self.result_metas = self._encode_result_metas()
        self._pages = None
        self.loaded.set()
        if self._resource_watcher is not None:
            self._resource_watcher.follow(generation.catalog)
        if first:
            return
        self.list_changes.changed(list_changed(kind) for kind in LISTS if getattr(generation.changes, kind))

    def _encode_result_metas(self) -> Mapping[str, bytes]:
        infos = {date: self.info(revision) for date, revision in STATELESS_REVISIONS.items()}
        return {date: jsonrpc.encode({SERVER_INFO: info}) for date, info in infos.items()}

    def _chain_before_load(self) -> "Chain":
        from server_core.serving.middleware_chain import Chain

        return Chain(self)

    def _use_middleware(self, generation: "Generation") -> None:
        """Use the middleware of this generation from now on; running requests keep theirs."""
        self.chain, self.capabilities = None, {}
        is_wanted = self.settings.middleware_enable_logging or self.instruments is not None
        if is_wanted or any(app.middleware for app in generation.apps):
            from server_core.serving.middleware_chain import build_chain

            self.chain, self.capabilities = build_chain(self, generation)

    def resource_updated(self, uri: str) -> None:
        """Notify all subscribers that this resource has new contents."""
        self.list_changes.changed([resource_updated(uri)])

    def subscribed(self) -> set[str]:
        """Return the URIs of all resources with a subscription."""
        return set(self.listeners.uris()).union(*(session.subscriptions for session in self.sessions.values()))

    def watch_files(self) -> None:
        """Watch the files of resources from now on: there is a subscription."""
        if self._resource_watcher is None:
            from server_core.serving.resource_watcher import ResourceWatcher

            self._resource_watcher = ResourceWatcher(self)
            self._resource_watcher.follow(self.catalog)

    async def close_resource_watcher(self) -> None:
        """Stop watching files."""
        if self._resource_watcher is not None:
            await self._resource_watcher.close()
