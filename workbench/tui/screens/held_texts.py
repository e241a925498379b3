"""Editing and answering held messages in the composer; a text that was not delivered is kept for the next time."""

import json
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import ErrorResponse, MalformedMessage, Response
from server_core.protocol.revisions import LATEST, REVISIONS, Revision
from workbench.model.forms.conversion import json_text
from workbench.model.messages.message_text import wire_bytes
from workbench.model.traffic.entry import parse_object
from workbench.tui.screens.composer import Composer, Draft, Skeleton
from workbench.tui.screens.dialogs import Choice, ChoiceScreen

if TYPE_CHECKING:
    from textual.screen import Screen

    from workbench.model.traffic.entry import Entry
    from workbench.workspace.held_messages import Waiting
    from workbench.workspace.workspace import Workspace

_MASKED = "<secret "
_SEND = "send"


class HeldTexts:
    """Lets the user write what is delivered instead of a message, or the answer to it."""

    def __init__(self, workspace: "Workspace") -> None:
        self._workspace = workspace
        # By the number of the message, and whether it is an answer.
        self._drafts: dict[tuple[int, bool], str] = {}

    async def edit(self, screen: "Screen[Any]", message: "Waiting") -> str:
        """Let the user change a message, deliver that, and return how: "edit", "edit raw" or empty if it was not.

        WorkbenchError if it no longer waits.
        """
        data = await self._workspace.held.body(message.id)
        title = f"Change #{message.id} and deliver it to the {'server' if message.is_to_server else 'client'}"
        text = await self._written(screen, message, title, _editable(data))
        if text is None:
            return ""
        raw = isinstance(jsonrpc.parse(wire_bytes(text)), MalformedMessage)
        if _MASKED in text and _MASKED.encode() in data:
            if not await _insists_on_names(screen):
                return ""
            raw = True
        await self._workspace.held.act("edit", message.id, text=wire_bytes(text).decode(), raw=raw)
        self._drafts.pop((message.id, False), None)
        return "edit raw" if raw else "edit"

    async def answer(self, screen: "Screen[Any]", message: "Waiting") -> None:
        """Let the user answer a request; WorkbenchError if it no longer waits, or the text is no response."""
        title = f"Answer #{message.id} in place of the {'server' if message.is_to_server else 'client'}"
        request = parse_object(await self._workspace.held.body(message.id)) or {}
        text = await self._written(screen, message, title, self._response_to(message), request)
        if text is None:
            return
        response = jsonrpc.parse(wire_bytes(text))
        if isinstance(response, Response):
            await self._workspace.held.act("answer", message.id, result=response.result)
        elif isinstance(response, ErrorResponse):
            error = {"code": response.code, "message": response.message}
            data = {} if response.data is None else {"data": response.data}
            await self._workspace.held.act("answer", message.id, error=error | data)
        else:
            raise ConfigurationError(
                "An answer is a response with a result or an error; the text is kept. An edit can deliver anything."
            )
        self._drafts.pop((message.id, True), None)

    async def _written(
        self, screen: "Screen[Any]", message: "Waiting", title: str, text: str, request: dict[str, Any] | None = None
    ) -> str | None:
        """Return the text that is to be delivered, or answers a request; None if the user has closed the composer."""
        is_answer = request is not None
        draft = self._drafts.get((message.id, is_answer), text)
        is_to_server = message.is_to_server and not is_answer
        revision = self._revision(message)
        composer = Composer(title, Skeleton(draft), revision, is_to_server=is_to_server, request=request)
        written: Draft = await screen.app.push_screen_wait(composer)
        self._drafts[message.id, is_answer] = written.text
        return written.text if written.is_sent else None

    def _response_to(self, message: "Waiting") -> str:
        result: dict[str, Any] = {"resultType": "complete"} if self._revision(message).stateless else {}
        if message.method == "tools/call":
            result["content"] = [{"type": "text", "text": ""}]
        elif message.method == "elicitation/create":
            result |= {"action": "accept", "content": {}}
        return json.dumps({"jsonrpc": "2.0", "id": message.request_id, "result": result}, indent=2)

    def _revision(self, message: "Waiting") -> Revision:
        entry = entry_of(self._workspace, message)
        return REVISIONS.get("" if entry is None else entry.revision, LATEST)


def entry_of(workspace: "Workspace", message: "Waiting") -> "Entry | None":
    """Return the entry of a held message; None if it has not arrived yet."""
    timeline = workspace.timeline
    return timeline.by_seq(timeline.newest_core.offset + message.id)


def _editable(data: bytes) -> str:
    value = parse_object(data)
    return data.decode("utf-8", "backslashreplace") if value is None else json_text(value, indent=2)


async def _insists_on_names(screen: "Screen[Any]") -> bool:
    text = "The text contains the name of a masked secret, which is delivered instead of its value."
    choices = (
        Choice("back", "b", "Go back to the list", "the text is kept"),
        Choice(_SEND, "s", "Deliver it as it is"),
    )
    return await screen.app.push_screen_wait(ChoiceScreen("Deliver the name of a secret?", text, choices)) == _SEND
