"""`context.client`: who is at the other end, what it can be asked, and the older spellings of what asks it."""

from typing import Any

from server_core.execution.context.client_port import Namespace
from server_core.execution.context.elicitation import ElicitResult
from server_core.execution.context.nested_requests import ask_own_server
from server_core.execution.context.sampling import Messages, SamplingResult
from server_core.types import Root


class Client(Namespace):
    """`context.client`: the client of a call."""

    @property
    def info(self) -> dict[str, Any]:
        """How it names itself, as on the wire; for people, never for decisions."""
        return self._context.port.client_info

    @property
    def capabilities(self) -> dict[str, Any]:
        """What it declared that it can do: `elicitation`, `sampling`, `roots` and others."""
        return self._context.port.capabilities

    @property
    def revision(self) -> str:
        """The revision of the protocol that it speaks."""
        return self._context.port.revision.date

    async def create_message(self, messages: Messages, *args: Any, **options: Any) -> SamplingResult:
        """Ask its model; the older spelling of `context.sampling.create_message`."""
        return await self._context.sampling.create_message(messages, *args, **options)

    async def list_roots(self, *args: Any, **options: Any) -> list[Root]:
        """Ask for its folders; the older spelling of `context.roots.list`."""
        return await self._context.roots.list(*args, **options)

    async def elicit(self, message: str, *args: Any, **options: Any) -> ElicitResult:
        """Ask its person; the older spelling of `context.ui.elicit`."""
        return await self._context.ui.elicit(message, *args, **options)

    async def complete(self, ref: dict[str, Any], argument: dict[str, Any], **known: str) -> list[str]:
        """Return what this server proposes for an argument of a prompt or a template of its own.

        The protocol knows this question only from clients to servers, so that no client is asked.

        Args:
            ref: `{"type": "ref/prompt", "name": ...}` or `{"type": "ref/resource", "uri": ...}`.
            argument: its `name`, and the `value` so far.
            known: the other arguments that are known already.

        Raises:
            ProtocolError: when there is no such prompt, template or argument.
        """
        params = {"ref": ref, "argument": argument, "context": {"arguments": known}}
        result = await ask_own_server(self._context, "completion/complete", params)
        return [str(value) for value in result["completion"]["values"]]

    async def cancel(self, request_id: str) -> bool:
        """Withdraw a question that this call has asked: whoever waits for its answer gets a `ContextError`.

        Args:
            request_id: the `key` that the question was asked with.

        Returns:
            Whether it was still open.
        """
        return self._context.withdraw(request_id)
