"""Help while a filter is typed: how the last word may continue, which tool is meant, and the filters used before."""

import re
from collections.abc import Callable, Iterable, Sequence

from server_core.runtime.suggestions import closest_name
from workbench.model.traffic.filter_syntax import Node
from workbench.model.traffic.filter_terms import CHOICES, FIELDS

MAX_FILTERS = 50
"""How many earlier filters are remembered."""

_BETWEEN_WORDS = re.compile(r"[\s()!|]")


def completion(text: str, names: Callable[[str], Iterable[str]]) -> str | None:
    """Return the filter with its last word completed; None if nothing is known to continue it.

    Args:
        names: returns the known values of a field, such as the names of the tools for `tool`; for `@`, the names of the
            saved filters.
    """
    word = _BETWEEN_WORDS.split(text)[-1]
    field, colon, typed = word.partition(":")
    if colon:
        # A name with a space would have to be quoted.
        known = [*CHOICES.get(field.lower(), ()), *(name for name in names(field.lower()) if " " not in name)]
    else:
        typed, known = field, [f"{name}:" for name in FIELDS]
        if typed.startswith("@"):
            known = [f"@{name}" for name in names("@")]
    if not typed and not colon:
        return None
    match = next((name for name in known if name.casefold().startswith(typed.casefold()) and name != typed), None)
    return None if match is None else text + match[len(typed) :]


def meant_tool(syntax: Node | None, tools: Sequence[str]) -> str:
    """Return the tool that a filter probably means, where it names a tool that is not known; else an empty text."""
    tokens = () if syntax is None else syntax.tokens
    named = (token.text for token in tokens if token.kind == "field" and token.name == "tool")
    unknown = (name for name in named if not any(name.casefold() in tool.casefold() for tool in tools))
    return next(filter(None, (closest_name(name, tools) for name in unknown)), "")


class FilterHistory:
    """The filters that were used, oldest first, and a place among them; the last place is what is being typed."""

    def __init__(self, filters: Iterable[str] = ()) -> None:
        self.filters = list(filters)[-MAX_FILTERS:]
        self._place = len(self.filters)
        self._typed = ""

    def add(self, text: str) -> None:
        """Add a filter as the newest, and return to the last place."""
        if text:
            self.filters = [*(each for each in self.filters if each != text), text][-MAX_FILTERS:]
        self._place = len(self.filters)

    def move(self, step: int, typed: str) -> str | None:
        """Return the filter a step before (-1) or after (1) the current place; None at the ends."""
        place = self._place + step
        if not 0 <= place <= len(self.filters):
            return None
        if self._place == len(self.filters):
            self._typed = typed
        self._place = place
        return self._typed if place == len(self.filters) else self.filters[place]

    def leave(self) -> str | None:
        """Return to the last place, and return what was typed there; None if that is the place already."""
        if self._place == len(self.filters):
            return None
        self._place = len(self.filters)
        return self._typed
