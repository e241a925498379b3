"""What a running tool can do, each part by its own name: log, report progress, ask, tell, call; and what it is told.

Rule 1: every method that reaches the client or the server is `async`; tools written with plain `def` run on a thread
and get the same methods, blocking, under :attr:`Context.blocking`.
Rule 2: what the client did not declare fails at once with a :class:`ContextError` that says what it lacks.
Rule 3: when the call is over, nothing of it reaches the client any more.
Rule 4: most calls use little of this, so each part is made, and what it needs loaded, when it is first used.
"""

import asyncio
import concurrent.futures
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError, NotInContext
from server_core.execution.logs import Log
from server_core.execution.port import ClientPort
from server_core.execution.progress import Progress
from server_core.protocol.jsonrpc import RequestId

if TYPE_CHECKING:
    from server_core.auth.authorization import Authorization
    from server_core.catalog.catalog import Catalog
    from server_core.execution.blocking import Blocking
    from server_core.execution.client import Client
    from server_core.execution.elicitation import Ui
    from server_core.execution.facts import Fact, Secret, ServerView, SessionView
    from server_core.execution.notifications import Notifications
    from server_core.execution.older_spellings import Notify
    from server_core.execution.prompts import Prompts
    from server_core.execution.resources import Resources
    from server_core.execution.roots import Roots
    from server_core.execution.sampling import Sampling
    from server_core.execution.tools import Tools
    from server_core.serving.news import Change
    from server_core.serving.question_keys import QuestionKeys
    from server_core.serving.server import Server

REQUEST_TIMEOUT = 60.0
"""Seconds that a client has to answer, where no settings say otherwise."""


class Context:
    """What one call can do and is told; made for each request.

    Args:
        port: the client.
        request_id: the id of the request.
        progress_token: the token of the client's request, if it wants progress.
        secrets: the secrets that the tool declares and that are set.
        catalog: what the server offers while the call runs.
        report: takes what the author should know, and the agent should not: the name of an event, and its facts.
        home: the server that the call runs in.
        meta: the `_meta` of the request.
    """

    authorization: "Authorization | None" = None
    """The person's account with the service that the tool declares, once they have agreed: `token` and `user_info`."""

    def __init__(
        self,
        port: ClientPort,
        request_id: RequestId,
        progress_token: str | int | None = None,
        secrets: Mapping[str, str] | None = None,
        catalog: "Catalog | None" = None,
        report: Callable[[str, dict[str, Any]], None] | None = None,
        home: "Server | None" = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.port = port
        self.request_id = request_id
        self.report = report or _ignore
        self.home = home
        self.meta = meta or {}
        self._progress_token = progress_token
        self._secrets = secrets or {}
        self._catalog = catalog
        self.becoming: Callable[[Context, float | None], Awaitable[bool]] | None = None
        """Makes the call a task; None for what cannot be one."""
        self._over = False
        self._cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[concurrent.futures.Future[Any]] = set()

    # What it can do.

    @cached_property
    def log(self) -> Log:
        """Tell whoever watches the client."""
        return Log(self)

    @cached_property
    def progress(self) -> Progress:
        """Tell how far the call has come."""
        return Progress(self, self._progress_token)

    @property
    def resources(self) -> "Resources":
        """Read the resources of this server, tell of new contents, and see the folders of the client."""
        from server_core.execution.resources import Resources

        return Resources(self)

    @property
    def tools(self) -> "Tools":
        """List the tools of this server, and call one."""
        from server_core.execution.tools import Tools

        return Tools(self)

    @property
    def prompts(self) -> "Prompts":
        """List the prompts of this server, and get one."""
        from server_core.execution.prompts import Prompts

        return Prompts(self)

    @property
    def ui(self) -> "Ui":
        """Ask the person."""
        from server_core.execution.elicitation import Ui

        return Ui(self)

    @property
    def sampling(self) -> "Sampling":
        """Ask the client's model."""
        from server_core.execution.sampling import Sampling

        return Sampling(self)

    @property
    def roots(self) -> "Roots":
        """Ask for the folders that the client opens to the server."""
        from server_core.execution.roots import Roots

        return Roots(self)

    @property
    def notifications(self) -> "Notifications":
        """Tell clients that a list has changed."""
        from server_core.execution.notifications import Notifications

        return Notifications(self)

    @property
    def notify(self) -> "Notify":
        """The older spelling of :attr:`progress`: `async with context.notify.progress(...)`."""
        from server_core.execution.older_spellings import Notify

        return Notify(self)

    @property
    def blocking(self) -> "Blocking":
        """The same methods for tools written with plain `def`: `context.blocking.log.info("done")`."""
        from server_core.execution.blocking import Blocking

        return Blocking(self)

    @property
    def client(self) -> "Client":
        """Who is at the other end, and what it can be asked."""
        from server_core.execution.client import Client

        return Client(self)

    # What it is told.

    @property
    def session_id(self) -> str | None:
        """Names the session and no other: over HTTP the `Mcp-Session-Id`. None for a request without a session."""
        return self.port.session_id

    @property
    def session(self) -> "SessionView":
        """The session: its id, the revision, and what the client says of itself."""
        from server_core.execution.facts import session_view

        return session_view(self.port)

    @property
    def _session(self) -> "SessionView":
        """The same as :attr:`session`: where servers written for Arcade's framework look what the client can."""
        return self.session

    @property
    def server(self) -> "ServerView | None":
        """The server's name, version, title and instructions; None for a call without a server."""
        from server_core.execution.facts import ServerView

        if self.home is None:
            return None
        about = self.home.identity
        return ServerView(about.name, about.version, about.title or None, about.instructions or None)

    @property
    def lifespan(self) -> Mapping[str, Any]:
        """What the lifespan of the app has opened: `context.lifespan["db"]`."""
        return self.home.lifespan if self.home is not None else {}

    @property
    def lifespan_context(self) -> Mapping[str, Any]:
        """The same as :attr:`lifespan`."""
        return self.lifespan

    @property
    def log_level(self) -> str | None:
        """The least severe level that the client wants to be told; None for no log messages."""
        return self.port.log_level

    @property
    def user_id(self) -> str | None:
        """Whom the call is for: see :func:`user_of`."""
        from server_core.execution.facts import user_of

        return user_of(self.port, getattr(self.home.settings, "user_id", "") if self.home is not None else "")

    @property
    def secrets(self) -> "list[Secret]":
        """The secrets that the tool declares and that are set; each has a `key` and a `value`."""
        from server_core.execution.facts import Secret

        return [Secret(key, value) for key, value in self._secrets.items()]

    @property
    def secret_values(self) -> Mapping[str, str]:
        """The secrets that the tool was given, a token among them: what must not be in any text about the call."""
        token = self.get_auth_token_or_empty()
        return {**self._secrets, "token": token} if token else self._secrets

    @property
    def metadata(self) -> "list[Fact]":
        """What the client tells of the caller in the `_meta` of the request; each has a `key` and a `value`."""
        from server_core.execution.facts import facts_of

        return facts_of(self.meta)

    @property
    def catalog(self) -> "Catalog":
        """What the server offers while the call runs."""
        from server_core.catalog.catalog import EMPTY

        return EMPTY if self._catalog is None else self._catalog

    @property
    def client_request_id(self) -> RequestId:
        """The id of the client's request that this call is made for: that of the outermost, where calls are nested."""
        outer = getattr(self.port, "outer", None)
        return self.request_id if outer is None else outer.client_request_id

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
            NotInContext: when the tool does not declare the secret; it is a ValueError too.
        """
        from server_core.execution.facts import look_up

        value = look_up(self._secrets.items(), key)
        if value is None:
            raise NotInContext(
                f"Secret {key!r} not found in context. Declare it with @tool(requires_secrets=[{key!r}])."
            )
        return value

    def has_secret(self, key: str) -> bool:
        """Return whether the secret is set to something."""
        return bool(self._secrets.get(key))

    def get_metadata(self, key: str) -> str:
        """Return a fact of the caller.

        Args:
            key: its name; upper and lower case are the same where no name fits exactly.

        Raises:
            NotInContext: when the client does not tell it; it is a ValueError too.
        """
        from server_core.execution.facts import look_up

        value = look_up(((one.key, one.value) for one in self.metadata), key)
        if value is None:
            raise NotInContext(f"Metadata {key!r} not found in context. The client tells it in the _meta of a request.")
        return value

    def get_auth_token_or_empty(self) -> str:
        """Return the token of the person's account; empty where the tool has none."""
        return "" if self.authorization is None else self.authorization.token

    # What its parts are made of.

    @cached_property
    def inner_names(self) -> "QuestionKeys":
        """The names of the requests that the call makes of its own server."""
        from server_core.serving.question_keys import QuestionKeys

        return QuestionKeys()

    @cached_property
    def _open_questions(self) -> dict[str, asyncio.Timeout]:
        return {}

    async def request(
        self, method: str, params: dict[str, Any], timeout: float | None = None, key: str = ""
    ) -> dict[str, Any]:
        """Ask the client; what :class:`ClientPort` says of errors holds here too.

        Args:
            method: a request method of the client.
            params: its params.
            timeout: seconds to wait for the answer; as the settings say when not given.
            key: names the question; :meth:`withdraw` knows it by this.
        """
        if self._over:
            raise ContextError(f"The call is over, so the client cannot be asked any more ({method}).")
        if timeout is None:
            timeout = REQUEST_TIMEOUT if self.home is None else self.home.settings.request_timeout
        if not key:
            return await self.port.request(method, params, related=self.request_id, timeout=timeout)
        withdrawn = self._open_questions[key] = asyncio.timeout(None)
        try:
            async with withdrawn:
                return await self.port.request(method, params, related=self.request_id, timeout=timeout, key=key)
        except TimeoutError:
            if not withdrawn.expired():
                raise
            raise ContextError(f"The question {key!r} ({method}) was withdrawn.") from None
        finally:
            self._open_questions.pop(key, None)

    def withdraw(self, key: str) -> bool:
        """Withdraw a question of this call; whoever waits for its answer gets a :class:`ContextError`.

        Args:
            key: of the question.

        Returns:
            Whether it was still open.
        """
        question = self._open_questions.pop(key, None)
        if question is None:
            return False
        question.reschedule(asyncio.get_running_loop().time())
        return True

    async def deliver(self, method: str, params: dict[str, Any]) -> None:
        """Tell the client something, unless the call is over; waits while the client is too slow."""
        if not self._over:
            self.port.notify(method, params, related=self.request_id)
            await self.port.drain()

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Tell the client something, unless the call is over; never waits."""
        if not self._over:
            self.port.notify(method, params, related=self.request_id)

    def changed(self, change: "Change", delay: float | None = None) -> None:
        """Tell every client of the server that wants to know it of a change.

        Args:
            change: what has changed.
            delay: seconds for which more changes are waited for; as the settings say when not given.

        Raises:
            ContextError: when the call has no server.
        """
        if self.home is None:
            raise ContextError(f"This call runs without a server, so nobody can be told of {change.method}.")
        self.home.news.changed([change], delay)

    # Its course.

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


ToolContext = Context
"""The name that Arcade's older servers know it by."""

current_context: ContextVar[Context | None] = ContextVar("current_context", default=None)
"""The context of the call that this code runs in."""


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _ignore(event: str, facts: dict[str, Any]) -> None:
    """Drop a failure that nobody asked to hear of."""
