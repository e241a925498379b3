"""What a running tool can do, each part by its own name: log, report progress, ask, tell, call; and what it is told.

Rule 1: every method that reaches the client or the server is `async`; tools written with plain `def` run on a thread
and get the same methods, blocking, under :attr:`Context.blocking`.
Rule 2: what the client did not declare fails at once with a :class:`ContextError` that says what it lacks.
Rule 3: most calls use little of this, so each part is made, and what it needs loaded, when it is first used.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any

from server_core.catalog.building.given_context import GivenContext
from server_core.errors import NotInContext
from server_core.execution.context.call import Call
from server_core.execution.context.client_port import ClientPort
from server_core.execution.context.logs import Log
from server_core.execution.context.progress import Progress
from server_core.protocol.jsonrpc import RequestId

if TYPE_CHECKING:
    from server_core.auth.authorization import Authorization
    from server_core.catalog.catalog import Catalog
    from server_core.execution.context.blocking import Blocking
    from server_core.execution.context.client import Client
    from server_core.execution.context.elicitation import Ui
    from server_core.execution.context.facts import Fact, Secret, ServerView, SessionView
    from server_core.execution.context.notifications import Notifications
    from server_core.execution.context.older_spellings import Notify
    from server_core.execution.context.prompts import Prompts
    from server_core.execution.context.resources import Resources
    from server_core.execution.context.roots import Roots
    from server_core.execution.context.sampling import Sampling
    from server_core.execution.context.tools import Tools
    from server_core.resource_server.owner import ResourceOwner
    from server_core.serving.server import Server


class Context(Call, GivenContext):
    """What the function of one call can do and is told; made for each request.

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
        super().__init__(port, request_id, report, home)
        self.meta = meta or {}
        self._progress_token = progress_token
        self._secrets = secrets or {}
        self._catalog = catalog

    # What it can do.

    @cached_property
    def log(self) -> Log:
        """Tell whoever watches the client."""
        return Log(self)

    @cached_property
    def progress(self) -> Progress:
        """Tell how far the call has come."""
        progress = Progress(self, self._progress_token)
        self.on_end = progress.end
        return progress

    @property
    def resources(self) -> "Resources":
        """Read the resources of this server, tell of new contents, and see the folders of the client."""
        from server_core.execution.context.resources import Resources

        return Resources(self)

    @property
    def tools(self) -> "Tools":
        """List the tools of this server, and call one."""
        from server_core.execution.context.tools import Tools

        return Tools(self)

    @property
    def prompts(self) -> "Prompts":
        """List the prompts of this server, and get one."""
        from server_core.execution.context.prompts import Prompts

        return Prompts(self)

    @property
    def ui(self) -> "Ui":
        """Ask the person."""
        from server_core.execution.context.elicitation import Ui

        return Ui(self)

    @property
    def sampling(self) -> "Sampling":
        """Ask the client's model."""
        from server_core.execution.context.sampling import Sampling

        return Sampling(self)

    @property
    def roots(self) -> "Roots":
        """Ask for the folders that the client opens to the server."""
        from server_core.execution.context.roots import Roots

        return Roots(self)

    @property
    def notifications(self) -> "Notifications":
        """Tell clients that a list has changed."""
        from server_core.execution.context.notifications import Notifications

        return Notifications(self)

    @property
    def notify(self) -> "Notify":
        """The older spelling of :attr:`progress`: `async with context.notify.progress(...)`."""
        from server_core.execution.context.older_spellings import Notify

        return Notify(self)

    @property
    def blocking(self) -> "Blocking":
        """The same methods for tools written with plain `def`: `context.blocking.log.info("done")`."""
        from server_core.execution.context.blocking import Blocking

        return Blocking(self)

    @property
    def client(self) -> "Client":
        """Who is at the other end, and what it can be asked."""
        from server_core.execution.context.client import Client

        return Client(self)

    # What it is told.

    @property
    def session_id(self) -> str | None:
        """Names the session and no other: over HTTP the `Mcp-Session-Id`. None for a request without a session."""
        return self.port.session_id

    @property
    def session(self) -> "SessionView":
        """The session: its id, the revision, and what the client says of itself."""
        from server_core.execution.context.facts import session_view

        return session_view(self.port)

    @property
    def _session(self) -> "SessionView":
        """The same as :attr:`session`: where servers written for Arcade's framework look what the client can."""
        return self.session

    @property
    def server(self) -> "ServerView | None":
        """The server's name, version, title and instructions; None for a call without a server."""
        from server_core.execution.context.facts import ServerView

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
        from server_core.execution.context.facts import user_of

        return user_of(self.port, "" if self.home is None else self.home.settings.user_id)

    @property
    def resource_owner(self) -> "ResourceOwner | None":
        """Whose token came with the request; None where none was asked for, as over stdio."""
        if not self.port.principal:
            return None
        from server_core.resource_server.owner import current

        return current.get()

    @property
    def secrets(self) -> "list[Secret]":
        """The secrets that the tool declares and that are set; each has a `key` and a `value`."""
        from server_core.execution.context.facts import Secret

        return [Secret(key, value) for key, value in self._secrets.items()]

    @property
    def secret_values(self) -> Mapping[str, str]:
        """The secrets that the tool was given, a token among them: what must not be in any text about the call."""
        token = self.get_auth_token_or_empty()
        return {**self._secrets, "token": token} if token else self._secrets

    @property
    def metadata(self) -> "list[Fact]":
        """What the client tells of the caller in the `_meta` of the request; each has a `key` and a `value`."""
        from server_core.execution.context.facts import facts_of

        return facts_of(self.meta)

    @property
    def catalog(self) -> "Catalog":
        """What the server offers while the call runs."""
        from server_core.catalog.catalog import EMPTY

        return EMPTY if self._catalog is None else self._catalog

    def get_secret(self, key: str) -> str:
        """Return the value of a secret.

        Args:
            key: its name; upper and lower case are the same where no name fits exactly.

        Raises:
            NotInContext: when the tool does not declare the secret; it is a ValueError too.
        """
        from server_core.execution.context.facts import find_value

        value = find_value(self._secrets.items(), key)
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
        from server_core.execution.context.facts import find_value

        value = find_value(((one.key, one.value) for one in self.metadata), key)
        if value is None:
            raise NotInContext(f"Metadata {key!r} not found in context. The client tells it in the _meta of a request.")
        return value

    def get_auth_token_or_empty(self) -> str:
        """Return the token of the person's account; empty where the tool has none."""
        return "" if self.authorization is None else self.authorization.token


current_context: ContextVar[Context | None] = ContextVar("current_context", default=None)
"""The context of the call that this code runs in."""
