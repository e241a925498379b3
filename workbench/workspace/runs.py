"""The runs that a user starts: tools are called by the workspace, resources and prompts are requested here."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from server_core.errors import RemoteError, WorkbenchError
from server_core.protocol.uri_templates import UriTemplate
from server_core.runtime.background import spawn
from workbench.model.catalog import Offer, OfferKind
from workbench.model.error_texts import remote_error_text
from workbench.model.forms.file_text import file_path
from workbench.model.forms.secret_members import without_secrets
from workbench.model.history import CallRun
from workbench.model.references import is_reference
from workbench.workspace.resolving import resolving

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

MAX_UPDATES = 20
"""The reads of updated resources in the history: a server may report an update each second."""


class Runs:
    """The runs that the user starts; `on_change` is called when a run of a resource or prompt has ended."""

    def __init__(self, workspace: "Callable[[], Workspace]", on_change: Callable[[], None]) -> None:
        self._workspace = workspace
        self._on_change = on_change
        self._reading: dict[CallRun, asyncio.Task[None]] = {}
        self._last: dict[tuple[str, str], CallRun] = {}
        self._updates: deque[CallRun] = deque()

    def start(self, offer: Offer, value: dict[str, Any], *, as_task: bool = False) -> CallRun:
        """Call a tool, read a resource or get a prompt; `value` has the arguments, or the variables of a template."""
        workspace = self._workspace()
        if offer.kind is OfferKind.TOOL:
            run = workspace.call(offer.name, value, as_task=as_task)
        else:
            run = self._begin_reading(offer.kind, offer.name, value)
        self._last[offer.key] = run
        return run

    def repeat(self, run: CallRun) -> CallRun:
        if run.kind is OfferKind.TOOL:
            again = self._workspace().call(run.tool, run.arguments)
        else:
            again = self._begin_reading(run.kind, run.tool, run.arguments)
        self._last[run.kind, run.tool] = again
        return again

    def read_again(self, run: CallRun) -> CallRun:
        """Read a resource again that was updated; of such reads, the latest stay in the history."""
        again = self.repeat(run)
        self._updates.append(again)
        if len(self._updates) > MAX_UPDATES:
            self._workspace().history.drop(self._updates.popleft())
        return again

    def last(self, offer: Offer) -> CallRun | None:
        return self._last.get(offer.key)

    def earlier_arguments(self, offer: Offer) -> list[dict[str, Any]]:
        """Return the arguments of the earlier calls of a tool without secrets, newest first."""
        if offer.kind is not OfferKind.TOOL:
            return []
        runs, schema = self._workspace().history.of(offer.name), offer.schema
        return [without_secrets(run.arguments, schema) for run in runs]

    def cancel(self, run: CallRun) -> None:
        if (reading := self._reading.get(run)) is not None:
            reading.cancel()
        else:
            self._workspace().cancel(run)

    def _begin_reading(self, kind: OfferKind, name: str, arguments: dict[str, Any]) -> CallRun:
        run = self._workspace().history.start(name, arguments, kind)
        self._workspace().resources.note_read(uri_of(run) or "")
        self._reading[run] = spawn(self._read(run), f"read {name}")
        return run

    async def _read(self, run: CallRun) -> None:
        workspace = self._workspace()
        try:
            run.finish(await _answer(workspace, run), workspace.clock())
        except asyncio.CancelledError:
            run.cancel(workspace.clock())
            raise
        except RemoteError as error:
            run.fail(remote_error_text(error), workspace.clock())
        except WorkbenchError as error:
            run.fail(str(error), workspace.clock())
        finally:
            del self._reading[run]
            self._on_change()

    async def complete(self, offer: Offer, name: str, typed: str, known: dict[str, str]) -> list[str]:
        """Return the server's completions for the text typed in an argument; empty when it does not support them."""
        session, reference = self._workspace().session, offer.reference
        if session is None or reference is None or "completions" not in session.capabilities:
            return []
        try:
            result = await session.complete(reference, {"name": name, "value": typed}, known)
        except WorkbenchError:
            return []  # A missing completion is not worth an error message.
        completion = result.get("completion")
        values = completion.get("values") if isinstance(completion, dict) else None
        texts = [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
        # A server must not propose a file or a secret of this machine, which it would get.
        return [text for text in texts if file_path(text) is None and not is_reference(text)]


def uri_of(run: CallRun, arguments: dict[str, Any] | None = None) -> str | None:
    """Return the URI of the resource that a run reads, with its own or other arguments; None for other runs."""
    match run.kind:
        case OfferKind.RESOURCE:
            return run.tool
        case OfferKind.TEMPLATE:
            return UriTemplate(run.tool).expand(run.arguments if arguments is None else arguments)
    return None


async def _answer(workspace: "Workspace", run: CallRun) -> dict[str, Any]:
    if (reason := workspace.why_not_sent) or workspace.session is None:
        raise WorkbenchError(reason)
    resolve = resolving(workspace, run)
    arguments = run.arguments if resolve is None else await resolve()
    if (uri := uri_of(run, arguments)) is not None:
        return await workspace.session.read_resource(uri)
    return await workspace.session.get_prompt(run.tool, arguments)
