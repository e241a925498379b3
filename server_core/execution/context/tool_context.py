"""`ToolContext`: the context of a call that no client makes, for code that calls the function of a tool itself.

Tests do, mostly. What would be told to the client is told to nobody, and what would be asked of it is an error.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from server_core.errors import ContextError
from server_core.execution.context.context import Context
from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.revisions import LATEST, Revision

if TYPE_CHECKING:
    from server_core.auth.authorization import Authorization
    from server_core.execution.context.facts import Fact, Secret


Json: TypeAlias = Mapping[str, Any]
Item = TypeVar("Item")


class ToolContext(Context):
    """A context made by hand; tools that clients call get a :class:`Context`, whichever of the two they declare.

    What it is told can be set later as well.

    Args:
        authorization: the account that the function acts with; or an object with its `token` and `user_info`.
        secrets: those that it may read; or objects with `key` and `value`.
        metadata: the facts about its caller that it may read; likewise.
        user_id: whom it acts for.
    """

    def __init__(
        self,
        authorization: "Authorization | Json | None" = None,
        secrets: "Iterable[Secret | Json] | None" = None,
        metadata: "Iterable[Fact | Json] | None" = None,
        user_id: str | None = None,
    ) -> None:
        super().__init__(_NoClient(), "made-by-hand")
        self.authorization = _authorization(authorization) if isinstance(authorization, Mapping) else authorization
        self.secrets = secrets
        self.metadata = metadata
        self._user_id = user_id

    @property
    def user_id(self) -> str | None:
        """Whom the function acts for."""
        return self._user_id

    @user_id.setter
    def user_id(self, user_id: str | None) -> None:
        self._user_id = user_id

    @property
    def secrets(self) -> "list[Secret]":
        """The secrets that the function may read; the list may be changed."""
        return self._given_secrets

    @secrets.setter
    def secrets(self, secrets: "Iterable[Secret | Json] | None") -> None:
        from server_core.execution.context.facts import Secret

        self._given_secrets = _items(Secret, secrets)
        self._secrets = _ByKey(self._given_secrets)

    @property
    def metadata(self) -> "list[Fact]":
        """The facts about its caller that the function may read; the list may be changed."""
        return self._given_metadata

    @metadata.setter
    def metadata(self, metadata: "Iterable[Fact | Json] | None") -> None:
        from server_core.execution.context.facts import Fact

        self._given_metadata = _items(Fact, metadata)
        self.meta = _ByKey(self._given_metadata)

    def set_secret(self, key: str, value: str) -> None:
        """Let the function read one more secret, or another value of one."""
        from server_core.execution.context.facts import Secret

        self._given_secrets[:] = [one for one in self._given_secrets if one.key != key]
        self._given_secrets.append(Secret(key, value))

    def get_auth_token_or_empty(self) -> str:
        """Return the token of the account; empty where there is none."""
        return super().get_auth_token_or_empty() or ""


def _authorization(told: Json) -> "Authorization":
    from server_core.auth.authorization import Authorization

    return Authorization(told.get("token") or "", dict(told.get("user_info") or {}))


def _items(kind: Callable[[str, str], Item], told: "Iterable[Item | Json] | None") -> list[Item]:
    return [kind(one["key"], one["value"]) if isinstance(one, Mapping) else one for one in told or ()]


class _ByKey(Mapping[str, str]):
    """The values of a list by their keys, as the list is now."""

    def __init__(self, items: "Sequence[Secret | Fact]") -> None:
        self._items = items

    def __getitem__(self, key: str) -> str:
        return {one.key: one.value for one in self._items}[key]

    def __iter__(self) -> Iterator[str]:
        return iter({one.key: None for one in self._items})

    def __len__(self) -> int:
        return len({one.key for one in self._items})


class _NoClient:
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
