"""What a server proposes while a text is typed: the first one behind the cursor, all of them below."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Static

from workbench.model.plain import shortened

Suggest: TypeAlias = Callable[[str, str], Awaitable[list[str]]]
"""Given a field's name and what was typed into it, returns what is proposed, best first."""

_MOST = 12


class Proposer(Suggester):
    """Asks for proposals; the answer to the same text is asked for once.

    Args:
        ask: returns the proposals for a text.
    """

    def __init__(self, ask: Callable[[str], Awaitable[list[str]]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._ask = ask
        self._typed: str | None = None
        self._values: list[str] = []

    async def ask(self, typed: str) -> list[str]:
        """Return what is proposed for a text."""
        if typed != self._typed:
            self._values = await self._ask(typed)
            self._typed = typed
        return self._values

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
