"""What a server proposes while a text is typed: the first one behind the cursor, all of them below."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Static

from server_core.runtime.background import spawn
from workbench.model.short_text import shortened

Suggest: TypeAlias = Callable[[str, str], Awaitable[list[str]]]
"""Given a field's name and what was typed into it, returns what is proposed, best first."""

_MOST = 12
_PAUSE = 0.12
"""Seconds without typing after which proposals are asked for."""


class Proposer(Suggester):
    """Asks for proposals once the person pauses; the same text is asked for once.

    Args:
        ask: returns the proposals for a text.
    """

    def __init__(self, ask: Callable[[str], Awaitable[list[str]]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._ask = ask
        self._typed: str | None = None
        self._answer: asyncio.Task[list[str]] | None = None

    async def ask(self, typed: str) -> list[str]:
        """Return what is proposed for a text; nothing when the person has typed on."""
        if self._answer is None or typed != self._typed:
            self._typed = typed
            self._answer = spawn(self._ask_after_pause(typed), "ask for proposals")
        # Shielded: whoever asks for the same text meanwhile waits for the same answer.
        return await asyncio.shield(self._answer)

    async def _ask_after_pause(self, typed: str) -> list[str]:
        await asyncio.sleep(_PAUSE)
        return await self._ask(typed) if typed == self._typed else []

    async def get_suggestion(self, value: str) -> str | None:
        """Return the first proposal that goes on from the text; the right arrow takes it."""
        return next((one for one in await self.ask(value) if one.startswith(value) and one != value), None)


class Proposals(Static):
    """The proposals side by side; nothing while there are none."""

    DEFAULT_CSS = """
    Proposals { display: none; height: auto; padding: 0 1; color: $text-accent; }
    """

    def show(self, values: list[str]) -> None:
        """Show these proposals."""
        texts = [shortened(value, 40) for value in values[:_MOST]]
        if len(values) > _MOST:
            texts.append("…")
        self.update(Content("→ " + " · ".join(texts)))
        self.display = bool(texts)
