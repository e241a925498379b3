"""`ToolContext`: the context of a call that no client makes, for code that calls the function of a tool itself.

Tests do, mostly. What would be told to the client is told to nobody, and what would be asked of it is an error.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError
from server_core.execution.context import Context
from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.revisions import LATEST, Revision

if TYPE_CHECKING:
    from server_core.auth.authorization import Authorization
    from server_core.execution.facts import Fact, Secret


class ToolContext(Context):
    """A context made by hand; tools that clients call get a :class:`Context`, whichever of the two they declare.

    Args:
        authorization: the account that the function acts with.
        secrets: those that it may read.
        metadata: the facts about its caller that it may read.
        user_id: whom it acts for.
    """

    def __init__(
        self,
        authorization: "Authorization | None" = None,
        secrets: "Iterable[Secret] | None" = None,
        metadata: "Iterable[Fact] | None" = None,
        user_id: str | None = None,
    ) -> None:
        super().__init__(
            _Nobody(),
            "made-by-hand",
            secrets={one.key: one.value for one in secrets or ()},
            meta={one.key: one.value for one in metadata or ()},
        )
        self.authorization = authorization
        self._user_id = user_id

    @property
    def user_id(self) -> str | None:
        """Whom the function acts for."""
        return self._user_id

    def get_auth_token_or_empty(self) -> str:
        """Return the token of the account; empty where there is none."""
        return super().get_auth_token_or_empty() or ""


class _Nobody:
    """The client of a call that no client makes."""

    revision: Revision = LATEST
    session_key = ""
    session_id = None
    principal = ""
    is_local = False
    log_level = None
    is_full = False

    @property
    def capabilities(self) -> dict[str, Any]:
        return {}

    @property
    def client_info(self) -> dict[str, Any]:
        return {}

    async def request(
        self, method: str, params: dict[str, Any], *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        raise ContextError(f"This context was made by hand, so there is no client to ask ({method}).")

    def notify(self, method: str, params: dict[str, Any], *, related: RequestId | None) -> None:
        """Tell nobody."""

    async def drain(self) -> None:
        """Wait for nobody."""

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Let go of nothing."""
