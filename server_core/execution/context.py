"""What a running tool can do: log, report progress, ask the person, the model and the client; and what it is told.

Rule 1: every method that reaches the client is `async`; tools written with plain `def` run on a thread and get the
same methods, blocking, under :attr:`Context.blocking`.
Rule 2: what the client did not declare fails at once with a :class:`ContextError` that says what it lacks.
Rule 3: when the call is over, nothing of it reaches the client any more.
"""

import asyncio
import concurrent.futures
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from server_core.errors import ContextError
from server_core.execution.logs import Log
from server_core.execution.progress import Progress
from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.revisions import Revision

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.execution.asking import Roots, Sampling, Ui
    from server_core.serving.news import News


class ClientPort(Protocol):
    """What a running tool may reach of its client.

    Attributes:
        revision: the revision that was negotiated.
        capabilities: what the client declared.
        client_info: how the client named itself.
        session_id: the session's name for people.
        log_level: the least severe level that the client wants; None for no log messages.
        is_full: the client has to take something before more should be sent.
    """

    @property
    def revision(self) -> Revision: ...
    @property
    def capabilities(self) -> dict[str, Any]: ...
    @property
    def client_info(self) -> dict[str, Any]: ...
    @property
    def session_id(self) -> str: ...
    @property
    def log_level(self) -> str | None: ...
    @property
    def is_full(self) -> bool: ...

    async def request(
        self, method: str, params: dict[str, Any], *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        """Ask the client and return its result.

        Args:
            method: a request method of the client.
            params: its params.
            related: the id of the client's request that is being served.
            timeout: seconds to wait for the answer.
            key: names the question, where questions travel in results; made from its order where it is empty.

        Raises:
            RemoteError: when the client answers with an error.
            ContextError: when no answer comes in time, or the client is gone.
        """

    def notify(self, method: str, params: dict[str, Any], *, related: RequestId | None) -> None:
        """Tell the client something; never waits."""

    async def drain(self) -> None:
        """Wait until the client has taken enough that more may be sent."""

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Let go of the connection that waits for a call, where the client knows how to come back; else do nothing.

        Args:
            related: the id of the client's request that is being served.
            retry_ms: how long the client should wait before it comes back, in milliseconds.
        """


class Resources:
    """`context.resources`: the resources of this server, who wants to know of them, and the folders of the client."""

    def __init__(self, context: "Context") -> None:
        self._context = context

    async def list_roots(self, timeout: float = 60, key: str = "") -> list[dict[str, Any]]:
        """Return the client's roots, as :meth:`Roots.list` does."""
        return await self._context.roots.list(timeout, key)

    async def read(self, uri: str) -> list[dict[str, Any]]:
        """Return the contents of a resource of this server, as they go over the wire.

        Raises:
            ProtocolError: when there is no such resource.
        """
        return await self._context.catalog.read_resource(uri, self._context)

    async def updated(self, uri: str) -> None:
        """Tell every client that wants to know it that a resource has new contents.

        Args:
            uri: its address; whoever subscribed to a resource that it is a part of is told as well.

        Source: server/resources, subscriptions.
        """
        from server_core.serving.news import resource_updated

        if self._context.news is not None:
            self._context.news.changed([resource_updated(uri)])


@dataclass(frozen=True, slots=True)
class Client:
    """The client of a call.

    Attributes:
        info: how it names itself, as on the wire; for people, never for decisions.
        capabilities: what it declared that it can do: `elicitation`, `sampling`, `roots` and others.
        revision: the revision of the protocol that it speaks.
    """

    info: dict[str, Any]
    capabilities: dict[str, Any]
    revision: str


class Context:
    """What one call can do and is told; made for each request.

    Args:
        port: the client.
        request_id: the id of the client's request.
        progress_token: the token of the client's request, if it wants progress.
        secrets: the secrets that the tool declares and that are set.
        catalog: what the server offers while the call runs.
        report: takes what the author should know of a failure, and the agent should not.
        news: takes what every client may want to know.
    """

    def __init__(
        self,
        port: ClientPort,
        request_id: RequestId,
        progress_token: str | int | None = None,
        secrets: Mapping[str, str] | None = None,
        catalog: "Catalog | None" = None,
        report: Callable[[dict[str, Any]], None] | None = None,
        news: "News | None" = None,
    ) -> None:
        self.port = port
        self.request_id = request_id
        self.report = report or _ignore
        self.news = news
        self._progress_token = progress_token
        self._secrets = secrets or {}
        self._catalog = catalog
        self.becoming: Callable[[Context, float | None], Awaitable[bool]] | None = None
        """Makes the call a task; None for what cannot be one."""
        self._over = False
        self._cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[concurrent.futures.Future[Any]] = set()

    # Most calls use none of these, so each is made when it is first used.
    @cached_property
    def log(self) -> Log:
        """Tell whoever watches the client."""
        return Log(self)

    @cached_property
    def progress(self) -> Progress:
        """Tell how far the call has come."""
        return Progress(self, self._progress_token)

    @cached_property
    def resources(self) -> Resources:
        """Read the resources of this server, tell of new contents, and see the folders of the client."""
        return Resources(self)

    # Asking is rarer still, so what it needs is even loaded then.
    @property
    def ui(self) -> "Ui":
        """Ask the person."""
        from server_core.execution.asking import Ui

        return Ui(self)

    @property
    def sampling(self) -> "Sampling":
        """Ask the client's model."""
        from server_core.execution.asking import Sampling

        return Sampling(self)

    @property
    def roots(self) -> "Roots":
        """Ask for the folders that the client opens to the server."""
        from server_core.execution.asking import Roots

        return Roots(self)

    @property
    def blocking(self) -> "Blocking":
        """The same methods for tools written with plain `def`: `context.blocking.log.info("done")`."""
        return Blocking(self)

    @property
    def catalog(self) -> "Catalog":
        """What the server offers while the call runs."""
        from server_core.catalog.catalog import EMPTY

        return EMPTY if self._catalog is None else self._catalog

    @property
    def client(self) -> "Client":
        """Who is at the other end, and what it can be asked."""
        port = self.port
        return Client(port.client_info, port.capabilities, port.revision.date)

    @property
    def session_id(self) -> str:
        """The session's name, as the workbench shows it."""
        return self.port.session_id

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more; tools on threads look at it between steps."""
        return self._cancelled

    @property
    def over(self) -> bool:
        """Whether the call is over, so that nothing of it reaches the client any more."""
        return self._over

    def raise_if_cancelled(self) -> None:
        """Leave the tool when nobody waits for the result any more.

        Raises:
            asyncio.CancelledError: when the call was cancelled or its time is up.
        """
        if self._cancelled:
            raise asyncio.CancelledError

    def get_secret(self, key: str) -> str:
        """Return the value of a secret.

        Args:
            key: its name; upper and lower case are the same where no name fits exactly.

        Raises:
            ContextError: when the tool does not declare the secret.
        """
        if key in self._secrets:
            return self._secrets[key]
        for name, value in self._secrets.items():
            if name.lower() == key.lower():
                return value
        raise ContextError(
            f"Secret {key!r} is not open to this tool; declare it with @tool(requires_secrets=[{key!r}])."
        )

    @property
    def secret_values(self) -> Mapping[str, str]:
        """The secrets that the tool declares and that are set: what must not be in any text about the call."""
        return self._secrets

    def has_secret(self, key: str) -> bool:
        """Return whether the secret is set to something."""
        return bool(self._secrets.get(key))

    async def request(self, method: str, params: dict[str, Any], timeout: float, key: str = "") -> dict[str, Any]:
        """Ask the client; what :class:`ClientPort` says of errors holds here too."""
        if self._over:
            raise ContextError(f"The call is over, so the client cannot be asked any more ({method}).")
        return await self.port.request(method, params, related=self.request_id, timeout=timeout, key=key)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Tell the client something, unless the call is over; waits while the client is too slow."""
        if not self._over:
            self.port.notify(method, params, related=self.request_id)
            await self.port.drain()

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Tell the client something, unless the call is over; never waits."""
        if not self._over:
            self.port.notify(method, params, related=self.request_id)

    async def close_stream(self, retry_ms: int = 1000) -> None:
        """Let go of the connection that waits for this call: its client comes back for what the call still sends.

        For calls that take long, over HTTP: no connection has to stay open. The call goes on. Nothing happens where
        the transport or the revision of the client has no such thing.

        Args:
            retry_ms: how long the client should wait before it comes back, in milliseconds.

        Raises:
            ValueError: when that is below zero.

        Source: 2025-11-25, basic/transports, Streamable HTTP, sending messages to the server.
        """
        if retry_ms < 0:
            raise ValueError("retry_ms must not be negative.")
        if not self._over:
            self.port.close_stream(related=self.request_id, retry_ms=retry_ms)

    async def become_task(self, ttl: float | None = None) -> bool:
        """Go on as a task: the request is answered now, and its client fetches the result later.

        From here on nobody waits for the call, so it may take as long as it needs. Questions work as before; on a task
        that the client has not asked for itself, progress and log messages do not reach it.

        Args:
            ttl: for how many seconds from now on the task, with its result, is to be kept; when not given, as long as
                the server's settings say, which also limit it.

        Returns:
            Whether the call is a task now. Where its client takes none, or as many run as may, it goes on as a call.

        Raises:
            ContextError: when the call is over, or its client is being asked something.
            ValueError: when the time is not above zero.

        Source: 2026-07-28, the tasks extension.
        """
        if ttl is not None and not ttl > 0:
            raise ValueError("ttl must be a number of seconds above zero.")
        if self._over:
            raise ContextError("The call is over, so it cannot become a task any more.")
        return self.becoming is not None and await self.becoming(self, ttl)

    def __enter__(self) -> "Context":
        """Begin; see :meth:`begin`."""
        self.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """End; see :meth:`end`."""
        cancelled = isinstance(error, asyncio.CancelledError)
        self.end(cancelled=cancelled, answered=not cancelled)

    def begin(self) -> None:
        """Remember the loop that threads have to go back to."""
        self._loop = asyncio.get_running_loop()

    def end(self, *, cancelled: bool = False, answered: bool = True) -> None:
        """Close the way to the client and wake the threads that wait for it.

        Args:
            cancelled: the result is not wanted any more.
            answered: the client's request will be answered.
        """
        if "progress" in self.__dict__:
            self.progress.end(answered=answered)
        self._over = True
        self._cancelled = cancelled
        for future in list(self._waiting):
            future.cancel()

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run the coroutine on the loop, from a thread, and wait for what it returns.

        Raises:
            ContextError: when called where it would block the loop itself.
        """
        if self._loop is None or _on_a_loop():
            work.close()
            raise ContextError("context.blocking is for tools written with plain `def`; here, use `await`.")
        if self._over:
            work.close()
            raise ContextError("The call is over; nothing of it reaches the client any more.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._waiting.add(future)
        try:
            if self._over:  # It ended between the check and the entry in the set.
                future.cancel()
            return future.result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None
        finally:
            self._waiting.discard(future)


class Blocking:
    """The namespaces of a context, for threads: each method waits and returns the value itself."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def become_task(self, ttl: float | None = None) -> bool:
        """Go on as a task; see :meth:`Context.become_task`."""
        return bool(self._context.wait_for(self._context.become_task(ttl)))

    def __getattr__(self, namespace: str) -> "BlockingNamespace":
        if namespace not in ("log", "progress", "resources", "ui", "sampling", "roots"):
            raise AttributeError(f"context.blocking has no {namespace!r}")
        return BlockingNamespace(self._context, getattr(self._context, namespace))


class BlockingNamespace:
    """One namespace of a context, for threads."""

    def __init__(self, context: Context, namespace: Any) -> None:
        self._context = context
        self._namespace = namespace

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._namespace, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._context.wait_for(method(*args, **kwargs))

        return call


current_context: ContextVar[Context | None] = ContextVar("current_context", default=None)
"""The context of the call that this code runs in."""


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _ignore(failure: dict[str, Any]) -> None:
    """Drop a failure that nobody asked to hear of."""
