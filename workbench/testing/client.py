"""`Client(app)`: the server under test and the kind of client; `with` and `async with` start and end it.

`async with` serves on the event loop of the test; `with` on another thread, so that plain tests need no loop.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.protocol.revisions import LATEST
from server_core.settings import Settings
from workbench.testing.assertion_errors import ShortTraceback
from workbench.testing.async_client import AsyncClient
from workbench.testing.conversation import Conversation
from workbench.testing.loop_thread import END_SECONDS, LAST_SECONDS, LoopThread, loop_of_the_test
from workbench.testing.project_rules import find_persona
from workbench.testing.server_under_test import ClientOptions
from workbench.testing.sync_client import SyncClient

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp


class Client:
    """A client of an app, or of a folder or file of tools, served in this process while the block runs.

    Args:
        what: an app object, or the path of a folder or file.
        secrets: name -> value of the secrets that are set. The machine's own secrets are not used.
        from_machine: whether other secrets may come from the environment and the project's `.env`.
        revision: the date of the client's protocol revision; see :data:`REVISIONS`.
        capabilities: the client's capabilities, as on the wire, like `{"elicitation": {}}`; all if not given.
        client_info: the client's name, version and so on, as on the wire.
        meta: members of `_meta` for every call, for tools that require metadata.
        timeout: the seconds that each answer may take.
        settings: settings of the server; the defaults if not given.
        persona: the name of the client to be, such as "cursor", or of one in `workbench.yaml`; `client_info`,
            `capabilities` and `revision` override it.
        rules: answer questions without a prepared answer by the rules in `workbench.yaml`: all, or those with these
            names, also if they are switched off.
        allow_problems: serve the valid tools; otherwise any problem fails the test.

    Raises:
        ConfigurationError: when the revision is none, or what is to be served is nothing that can be.
    """

    def __init__(
        self,
        what: "MCPApp | Path | str",
        *,
        secrets: Mapping[str, str] | None = None,
        from_machine: bool = False,
        revision: str = LATEST.date,
        capabilities: dict[str, Any] | None = None,
        client_info: dict[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        timeout: float = 5.0,
        settings: Settings | None = None,
        allow_problems: bool = False,
        rules: bool | Sequence[str] = False,
        persona: str = "",
    ) -> None:
        __tracebackhide__ = True
        if persona:
            client = find_persona(_servable(what), persona)
            client_info = client.client_info if client_info is None else client_info
            capabilities = client.capabilities if capabilities is None else capabilities
            revision = client.revision if revision == LATEST.date and client.revision else revision
        self._options = ClientOptions(
            target=_servable(what),
            secrets={} if secrets is None else secrets,
            from_machine=from_machine,
            revision=revision,
            capabilities=capabilities,
            client_info=client_info,
            meta=meta or {},
            timeout=timeout,
            settings=settings or Settings(),
            allow_problems=allow_problems,
            rules=rules,
        )
        self._options.protocol_revision  # noqa: B018  An unknown revision is reported at the line that sets it.
        self._entered: AbstractContextManager[SyncClient] | None = None
        self._entered_async: AbstractAsyncContextManager[AsyncClient] | None = None

    def __enter__(self) -> SyncClient:
        __tracebackhide__ = True
        self._entered = _sync_client(self._options)
        with ShortTraceback():
            return self._entered.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        assert self._entered is not None
        with ShortTraceback():
            self._entered.__exit__(kind, error, traceback)

    async def __aenter__(self) -> AsyncClient:
        __tracebackhide__ = True
        loop_of_the_test()
        self._entered_async = _async_client(self._options)
        with ShortTraceback():
            return await self._entered_async.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        assert self._entered_async is not None
        with ShortTraceback():
            await self._entered_async.__aexit__(kind, error, traceback)

    @contextmanager
    def on_thread(self) -> Iterator[AsyncClient]:
        """Serve on a thread, and yield an async client for any event loop: for fixtures."""
        with _serving_on_thread(self._options) as (conversation, loop):
            yield AsyncClient(conversation, loop)


def _servable(target: object) -> "MCPApp | Path":
    __tracebackhide__ = True
    from server_core.authoring.app import MCPApp

    if isinstance(target, MCPApp):
        return target
    if isinstance(target, str | PathLike):
        return Path(target)
    raise ConfigurationError(
        f"There is nothing to serve in {target!r}; pass an MCPApp, or the path of a folder or file."
    )


@contextmanager
def _sync_client(options: ClientOptions) -> Iterator[SyncClient]:
    with _serving_on_thread(options) as (conversation, loop):
        yield SyncClient(conversation, loop)


@asynccontextmanager
async def _async_client(options: ClientOptions) -> AsyncIterator[AsyncClient]:
    conversation = await _begin(options)
    succeeded = False
    try:
        yield AsyncClient(conversation)
        succeeded = True
    finally:
        await conversation.end(checks=succeeded)


@contextmanager
def _serving_on_thread(options: ClientOptions) -> Iterator[tuple[Conversation, LoopThread]]:
    __tracebackhide__ = True
    loop = LoopThread()
    succeeded = False
    try:
        conversation = loop.run(_begin(options))
        try:
            yield conversation, loop
            succeeded = True
        finally:
            last = LAST_SECONDS if loop.is_blocked else options.settings.shutdown_grace + END_SECONDS
            loop.run(conversation.end(checks=succeeded), last)
    finally:
        loop.close()


async def _begin(options: ClientOptions) -> Conversation:
    conversation = Conversation(options)
    try:
        await conversation.begin()
    except BaseException:
        await conversation.end(checks=False)
        raise
    return conversation
