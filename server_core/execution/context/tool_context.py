"""`ToolContext`: a context without a client, for code that calls the function of a tool directly, such as tests.

Notifications are dropped, and requests to the client raise an error.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from server_core.errors import ContextError
from server_core.execution.context.client_port import CallingClient, ClientPort
from server_core.execution.context.context import Context
from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.revisions import LATEST

if TYPE_CHECKING:
    from server_core.auth.requirement import Authorization
    from server_core.execution.context.facts import Fact, Secret


Json: TypeAlias = Mapping[str, Any]
Item = TypeVar("Item")


class ToolContext(Context):
    """A context without a client; calls of clients get a :class:`Context`, whichever of the two a tool declares.

    All arguments can also be set later, as attributes.

    Args:
        authorization: the account of the call, or a mapping with its `token` and `user_info`.
        secrets: the secrets of the call, or mappings with `key` and `value`.
        metadata: the metadata of the call, or mappings with `key` and `value`.
        user_id: the user that the call is for.
    """

    def __init__(
        self,
        authorization: "Authorization | Json | None" = None,
        secrets: "Iterable[Secret | Json] | None" = None,
        metadata: "Iterable[Fact | Json] | None" = None,
        user_id: str | None = None,
    ) -> None:
        super().__init__(_NoClient(), "made-by-hand")
        # The setters convert JSON objects and keep the mappings that `Context` reads in step with the lists.
        self.authorization = _authorization(authorization) if isinstance(authorization, Mapping) else authorization
        self.secrets = secrets
        self.metadata = metadata
        self._user_id = user_id

    @property
    def user_id(self) -> str | None:
        return self._user_id

    @user_id.setter
    def user_id(self, user_id: str | None) -> None:
        self._user_id = user_id

    @property
    def secrets(self) -> "list[Secret]":
        """The secrets of the call; the list may be changed."""
        return self._secret_list

    @secrets.setter
    def secrets(self, secrets: "Iterable[Secret | Json] | None") -> None:
        from server_core.execution.context.facts import Secret

        self._secret_list = _items(Secret, secrets)
        self._secrets = _ByKey(self._secret_list)

    @property
    def metadata(self) -> "list[Fact]":
        """The metadata of the call; the list may be changed."""
        return self._metadata_list

    @metadata.setter
    def metadata(self, metadata: "Iterable[Fact | Json] | None") -> None:
        from server_core.execution.context.facts import Fact

        self._metadata_list = _items(Fact, metadata)
        self.meta = _ByKey(self._metadata_list)

    def set_secret(self, key: str, value: str) -> None:
        """Add a secret, or replace its value."""
        from server_core.execution.context.facts import Secret

        self._secret_list[:] = [secret for secret in self._secret_list if secret.key != key]
        self._secret_list.append(Secret(key, value))

    def get_auth_token_or_empty(self) -> str:
        # A test may set an account whose token is None.
        return super().get_auth_token_or_empty() or ""


def _authorization(account: Json) -> "Authorization":
    from server_core.auth.requirement import Authorization

    return Authorization(account.get("token") or "", dict(account.get("user_info") or {}))


def _items(kind: Callable[[str, str], Item], entries: "Iterable[Item | Json] | None") -> list[Item]:
    return [kind(entry["key"], entry["value"]) if isinstance(entry, Mapping) else entry for entry in entries or ()]


class _ByKey(Mapping[str, str]):
    """A mapping view of a list of items with `key` and `value`."""

    def __init__(self, items: "Sequence[Secret | Fact]") -> None:
        self._items = items

    def __getitem__(self, key: str) -> str:
        return {item.key: item.value for item in self._items}[key]

    def __iter__(self) -> Iterator[str]:
        return iter({item.key: None for item in self._items})

    def __len__(self) -> int:
        return len({item.key for item in self._items})


class _NoClient(ClientPort):
    """A client port without a client."""

    def __init__(self) -> None:
        self.client = CallingClient("", None, "", False, LATEST, {}, {}, None)

    async def request(
        self, method: str, params: dict[str, Any], *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        raise ContextError(f"This context was created by hand, so there is no client for the request ({method}).")
