"""`context.client`: information about the client, and older spellings of requests to it; `context.roots`: its roots."""

import builtins
from typing import TYPE_CHECKING, Any

from server_core.errors import RootsNotSupportedError
from server_core.execution.context.call import Namespace
from server_core.execution.context.nested_requests import request_own_server
from server_core.types import Root

if TYPE_CHECKING:
    from server_core.execution.context.elicitation import ElicitResult
    from server_core.execution.context.sampling import Messages, SamplingResult


class ContextClient(Namespace):
    """`context.client`: the client of a call."""

    @property
    def info(self) -> dict[str, Any]:
        """The client's own name and version, as on the wire; for display, never for decisions."""
        return self._context.port.client.info

    @property
    def capabilities(self) -> dict[str, Any]:
        """The capabilities that the client declared: `elicitation`, `sampling`, `roots` and others."""
        return self._context.port.client.capabilities

    @property
    def revision(self) -> str:
        """The protocol revision of the client."""
        return self._context.port.client.revision.date

    async def create_message(self, messages: "Messages", *args: Any, **options: Any) -> "SamplingResult":
        """Sample the client's model; the older spelling of `context.sampling.create_message`."""
        return await self._context.sampling.create_message(messages, *args, **options)

    async def list_roots(self, *args: Any, **options: Any) -> list[Root]:
        """Return the client's roots; the older spelling of `context.roots.list`."""
        return await self._context.roots.list(*args, **options)

    async def elicit(self, message: str, *args: Any, **options: Any) -> "ElicitResult":
        """Ask the user; the older spelling of `context.ui.elicit`."""
        return await self._context.ui.elicit(message, *args, **options)

    async def complete(self, ref: dict[str, Any], argument: dict[str, Any], **known: str) -> list[str]:
        """Return this server's completions for an argument of one of its prompts or templates.

        The protocol has this request only from clients to servers, so nothing is sent to the client.

        Args:
            ref: `{"type": "ref/prompt", "name": ...}` or `{"type": "ref/resource", "uri": ...}`.
            argument: its `name`, and the `value` so far.
            known: the values of the arguments that are already filled in.

        Raises:
            ProtocolError: when there is no such prompt, template or argument.
        """
        params = {"ref": ref, "argument": argument, "context": {"arguments": known}}
        result = await request_own_server(self._context, "completion/complete", params)
        return [str(value) for value in result["completion"]["values"]]

    async def cancel(self, request_id: str) -> bool:
        """Withdraw a request of this call: the code that waits for its response gets a `ContextError`.

        Args:
            request_id: the `key` of the request.

        Returns:
            Whether the request was still open.
        """
        return self._context.withdraw(request_id)


class Roots(Namespace):
    """`context.roots`: the folders that the client exposes to the server. Source: client/roots."""

    async def list(self, timeout: float | None = None, key: str = "") -> builtins.list[Root]:
        """Return the roots: each has a `uri`, and a `name` if the client provides it.

        Args:
            timeout: seconds to wait; the default is a setting.
            key: a name for the request, as for `context.ui.elicit`.

        Raises:
            RootsNotSupportedError: when the client does not support roots.
            ContextError: when the client does not respond in time.
            RemoteError: when the client responds with an error.
        """
        if "roots" not in self._context.port.client.capabilities:
            reason = "This client provides no roots: it did not declare the roots capability."
            raise RootsNotSupportedError(reason, {"roots": {}})
        result = await self._context.request("roots/list", {}, timeout, key)
        roots = result.get("roots")
        return [Root(root) for root in roots if isinstance(root, dict)] if isinstance(roots, builtins.list) else []
