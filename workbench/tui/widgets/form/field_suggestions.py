"""Proposals of a server while a text is typed: the first after the cursor, all of them in the help."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from textual.suggester import Suggester

from server_core.runtime.background import spawn
from workbench.model.short_text import shortened

Suggest: TypeAlias = Callable[[str, str], Awaitable[list[str]]]
"""Returns the proposals for a field, best first, given its name and text."""

_MAX_SHOWN = 12
# Seconds without typing after which proposals are requested.
_PAUSE_S = 0.12


class Proposer(Suggester):
    """Requests proposals once the user pauses; each text is requested once."""

    def __init__(self, ask: Callable[[str], Awaitable[list[str]]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._ask = ask
        self._typed: str | None = None
        self._answer: asyncio.Task[list[str]] | None = None

    async def ask(self, typed: str) -> list[str]:
        """Return the proposals for a text; none if the user has typed on."""
        if self._answer is None or typed != self._typed:
            self._typed = typed
            self._answer = spawn(self._ask_after_pause(typed), "ask for proposals")
        # Shielded, since both the suggester and the row may be waiting for the same text.
        return await asyncio.shield(self._answer)

    async def _ask_after_pause(self, typed: str) -> list[str]:
        await asyncio.sleep(_PAUSE_S)
        return await self._ask(typed) if typed == self._typed else []

    async def get_suggestion(self, value: str) -> str | None:
        """Return the first proposal that continues the text; the right arrow accepts it."""
        return next((text for text in await self.ask(value) if text.startswith(value) and text != value), None)


def proposals_text(values: Sequence[str]) -> str:
    """Return the first proposals on one line."""
    texts = [shortened(value, 40) for value in values[:_MAX_SHOWN]]
    if len(values) > _MAX_SHOWN:
        texts.append("…")
    return "→ " + " · ".join(texts)
