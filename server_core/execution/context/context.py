"""The context of a call: logging, progress, requests to client and server, and information about the caller.

Rule 1: every method that reaches the client or the server is `async`; tools written with plain `def` run on a thread
and use the blocking versions of the same methods under :attr:`Context.blocking`.
Rule 2: a request that needs a capability that the client did not declare fails at once with a :class:`ContextError`
that names the capability.
Rule 3: most calls use few parts of a context, so each part is created, and its modules imported, on first use.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any

from server_core.catalog.building.signature import ContextBase
from server_core.errors import NotInContext
from server_core.execution.context.call import Call
from server_core.execution.context.logs import Log
from server_core.execution.context.progress import Progress
from server_core.records.masking import Masker

if TYPE_CHECKING:
    from server_core.auth.requirement import Authorization
    from server_core.catalog.catalog import Catalog
    from server_core.execution.context.blocking import Blocking
    from server_core.execution.context.client import ContextClient, Roots
    from server_core.execution.context.elicitation import Ui
    from server_core.execution.context.facts import Fact, Secret, ServerView, SessionView
    from server_core.execution.context.own_server import Notifications, Prompts, Resources, Tools
    from server_core.execution.context.progress import Notify
    from server_core.execution.context.sampling import Sampling
    from server_core.resource_server.owner import ResourceOwner


class Context(Call, ContextBase):
    """The context of one call; created for each request.

    Args:
        port: the connection to the client.
        request_id: the id of the request.
        progress_token: the token of the client's request, if it requested progress.
        secrets: the secrets that the tool declares and that are set.
        catalog: the server's catalog while the call runs.
        report: called with the name and the fields of an event for the author, which the agent does not get.
        own_server: the server that the call runs in.
        meta: the `_meta` of the request.
        nested_caller: the running tool that made the call, instead of the client itself.
    """

    authorization: "Authorization | None" = None
    """The user's account with the service that the tool declares, after their consent: `token` and `user_info`."""

    # Actions.

    @cached_property
    def log(self) -> Log:
        """Send log messages to the client."""
        return Log(self)

    @cached_property
    def progress(self) -> Progress:
        """Report the progress of the call."""
        progress = Progress(self, self._progress_token)
        self.on_end = progress.end
        return progress

    @property
    def resources(self) -> "Resources":
        """Read the resources of this server, notify clients of updates, and list the roots of the client."""
        from server_core.execution.context.own_server import Resources

        return Resources(self)

    @property
    def tools(self) -> "Tools":
        """List the tools of this server, and call one."""
        from server_core.execution.context.own_server import Tools

        return Tools(self)

    @property
    def prompts(self) -> "Prompts":
        """List the prompts of this server, and get one."""
        from server_core.execution.context.own_server import Prompts

        return Prompts(self)

    @property
    def ui(self) -> "Ui":
        """Ask the user."""
        from server_core.execution.context.elicitation import Ui

        return Ui(self)

    @property
    def sampling(self) -> "Sampling":
        """Ask the client's model."""
        from server_core.execution.context.sampling import Sampling

        return Sampling(self)

    @property
    def roots(self) -> "Roots":
        """List the roots that the client exposes to the server."""
        from server_core.execution.context.client import Roots

        return Roots(self)

    @property
    def notifications(self) -> "Notifications":
        """Notify clients that a list has changed."""
        from server_core.execution.context.own_server import Notifications

        return Notifications(self)

    @property
    def notify(self) -> "Notify":
        """The older spelling of :attr:`progress`: `async with context.notify.progress(...)`."""
        from server_core.execution.context.progress import Notify

        return Notify(self)

    @property
    def blocking(self) -> "Blocking":
        """The same methods for tools written with plain `def`: `context.blocking.log.info("done")`."""
        from server_core.execution.context.blocking import Blocking

        return Blocking(self)

    @property
    def client(self) -> "ContextClient":
        """Information about the client, and older spellings of requests to it."""
        from server_core.execution.context.client import ContextClient

        return ContextClient(self)

    # Information about the call.

    @property
    def session_id(self) -> str | None:
        """The unique id of the session: over HTTP the `Mcp-Session-Id`. None for a request without a session."""
        return self.port.client.session_id

    @property
    def session(self) -> "SessionView":
        """The session: its id, its revision, and the name and capabilities of the client."""
        from server_core.execution.context.facts import session_view

        return session_view(self.port.client)

    @property
    def _session(self) -> "SessionView":
        """The same as :attr:`session`; servers for Arcade's framework read the capabilities from it."""
        return self.session

    @property
    def server(self) -> "ServerView | None":
        """The server's name, version, title and instructions; None for a call without a server."""
        from server_core.execution.context.facts import ServerView

        if self.own_server is None:
            return None
        identity = self.own_server.identity
        return ServerView(identity.name, identity.version, identity.title or None, identity.instructions or None)

    @property
    def lifespan(self) -> Mapping[str, Any]:
        """The values that the lifespan of the app yielded: `context.lifespan["db"]`."""
        return self.own_server.lifespan if self.own_server is not None else {}

    @property
    def lifespan_context(self) -> Mapping[str, Any]:
        """The same as :attr:`lifespan`."""
        return self.lifespan

    @property
    def log_level(self) -> str | None:
        """The least severe level of the log messages that the client wants; None for no log messages."""
        return self.port.client.log_level

    @property
    def user_id(self) -> str | None:
        """The user that the call is for; see :func:`user_of`."""
        from server_core.execution.context.facts import user_of

        return user_of(self.port.client, "" if self.own_server is None else self.own_server.settings.user_id)

    @property
    def resource_owner(self) -> "ResourceOwner | None":
        """The owner of the request's access token; None where no token is required, as over stdio."""
        if not self.port.client.principal:
            return None
        from server_core.resource_server.owner import current_owner

        return current_owner.get()

    @property
    def secrets(self) -> "list[Secret]":
        """The secrets that the tool declares and that are set; each has a `key` and a `value`."""
        from server_core.execution.context.facts import Secret

        return [Secret(key, value) for key, value in self._secrets.items()]

    @property
    def secret_values(self) -> Mapping[str, str]:
        """The secrets of the call, including its token, by name; they are masked in all texts about the call."""
        token = self.get_auth_token_or_empty()
        return {**self._secrets, "token": token} if token else self._secrets

    @cached_property
    def _masker(self) -> Masker:
        return Masker()

    def masked(self, value: Any) -> Any:
        """Return a text or another JSON value for the client, in which the secrets of the call are masked.

        A result of the tool is not masked, since it is the answer. Errors, log messages and progress are: users see
        them and clients store them.
        """
        if not (secrets := self.secret_values):
            return value
        self._masker.set(secrets)  # Each time: those of a `ToolContext` may change.
        return self._masker.mask_text(value) if isinstance(value, str) else self._masker.mask_value(value)

    @property
    def metadata(self) -> "list[Fact]":
        """The metadata about the caller in the `_meta` of the request; each entry has a `key` and a `value`."""
        from server_core.execution.context.facts import metadata_entries

        return metadata_entries(self.meta)

    @property
    def catalog(self) -> "Catalog":
        """The server's catalog while the call runs."""
        from server_core.catalog.catalog import EMPTY

        return EMPTY if self._catalog is None else self._catalog

    def get_secret(self, key: str) -> str:
        """Return the value of a secret.

        Args:
            key: its name; case is ignored if no name matches exactly.

        Raises:
            NotInContext: when the tool does not declare the secret; this is a ValueError, too.
        """
        from server_core.execution.context.facts import find_value

        value = find_value(self._secrets.items(), key)
        if value is None:
            raise NotInContext(
                f"Secret {key!r} not found in context. Declare it with @tool(requires_secrets=[{key!r}])."
            )
        return value

    def has_secret(self, key: str) -> bool:
        """Return whether the secret is set and not empty."""
        return bool(self._secrets.get(key))

    def get_metadata(self, key: str) -> str:
        """Return a metadata value.

        Args:
            key: its name; case is ignored if no name matches exactly.

        Raises:
            NotInContext: when the client did not send it; this is a ValueError, too.
        """
        from server_core.execution.context.facts import find_value

        value = find_value(((fact.key, fact.value) for fact in self.metadata), key)
        if value is None:
            raise NotInContext(f"Metadata {key!r} not found in context. The client sends it in the _meta of a request.")
        return value

    def get_auth_token_or_empty(self) -> str:
        """Return the token of the user's account; empty if the tool has none."""
        return "" if self.authorization is None else self.authorization.token


current_context: ContextVar[Context | None] = ContextVar("current_context", default=None)
"""The context of the current call."""
