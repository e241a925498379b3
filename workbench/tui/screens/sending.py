"""Sending messages from the inspector: a recorded one again, as it was or changed, and one that the user writes."""

from collections.abc import Awaitable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.model.catalog import offers
from workbench.model.forms.conversion import json_text
from workbench.model.messages.beginnings import Beginning, beginnings
from workbench.model.messages.message_text import editable_text
from workbench.tui.screens.composer import Composer, Draft, Skeleton

if TYPE_CHECKING:
    from workbench.client.session import ClientSession
    from workbench.model.traffic.entry import Entry
    from workbench.tui.screens.message_pane import MessagePane


class Sending:
    """Sends messages for the inspector; keeps the text of the composer that was not sent."""

    def __init__(self, pane: "MessagePane") -> None:
        self._pane = pane
        self._draft = ""
        self._is_composing = False
        self._is_searching = False  # Whether a message was sent that is not among the records yet.

    def why_not(self, entry: "Entry | None" = None) -> str | None:
        """Return why nothing can be sent, or not this message; None if it can."""
        if self._pane.workspace.session is None:
            return "This terminal has no session with the server."
        if entry is not None and not entry.is_to_server:
            return "Only messages of clients can be sent to the server."
        return None

    def newest_arrived(self) -> int | None:
        """Return the number of the newest message sent here that is among the records since the last time."""
        if not self._is_searching:
            return None
        arrived = self._pane.workspace.sent_messages.arrived()
        self._is_searching = not arrived
        return arrived[-1] if arrived else None

    async def send_again(self, entry: "Entry") -> None:
        """Send a message of a client again, through the session of this terminal; a capture is closed."""
        data, original = await self._pane.detail.body(entry), self._original(entry)
        self._pane.close_capture()
        await self._attempt(self._pane.workspace.sent_messages.send_again(data, original))

    async def edit(self, entry: "Entry") -> None:
        """Let the user change a recorded message, and send that."""
        session = self._pane.workspace.session
        if session is None:
            return
        text = editable_text(await self._pane.detail.body(entry), session.unused_id())
        await self._compose(session, f"Change #{entry.seq} and send it", Skeleton(text), self._original(entry))

    async def compose(self) -> None:
        """Let the user write a message, beginning with the text that was not sent the last time."""
        if (session := self._pane.workspace.session) is not None:
            ping = Beginning("server/discover" if session.revision.stateless else "ping")
            text = Skeleton(self._draft) if self._draft else replace(_skeleton(session, ping), is_example=True)
            self._draft = await self._compose(session, "Send a message", text)

    async def _compose(self, session: "ClientSession", title: str, text: Skeleton, original: int = 0) -> str:
        """Return the text, empty if it was sent."""
        # The key may have been pressed twice before the composer was open.
        if self._is_composing:
            return text.text
        self._is_composing = True
        try:
            return await self._edited_and_sent(session, title, text, original)
        finally:
            self._is_composing = False

    async def _edited_and_sent(self, session: "ClientSession", title: str, text: Skeleton, original: int) -> str:
        workspace, revision = self._pane.workspace, session.revision
        choices = beginnings(offers(workspace.core.catalog), revision)
        composer = Composer(
            f"{title} · {revision.date}",
            text,
            revision,
            [choice.label for choice in choices],
            lambda index: _skeleton(session, choices[index]),
        )
        draft: Draft = await self._pane.app.push_screen_wait(composer)
        if not draft.is_sent:
            return draft.text
        self._pane.close_capture()
        is_sent = await self._attempt(workspace.sent_messages.send(draft.text, original))
        return "" if is_sent else draft.text

    def _original(self, entry: "Entry") -> int:
        """Return the number of a message among those of the core; 0 if it is from a capture."""
        pane = self._pane
        return entry.seq if pane.source.timeline is pane.workspace.timeline else 0

    async def _attempt(self, sending: Awaitable[None]) -> bool:
        self._is_searching = True
        return await self._pane.attempt(sending)


def _skeleton(session: "ClientSession", beginning: Beginning) -> Skeleton:
    params, placeholders = beginning.skeleton()
    message: dict[str, Any]
    if beginning.is_notification:
        message = {"jsonrpc": "2.0", "method": beginning.method, **({} if params is None else {"params": params})}
    else:
        message = session.draft(beginning.method, params)
    return Skeleton(json_text(message, indent=2), placeholders)
