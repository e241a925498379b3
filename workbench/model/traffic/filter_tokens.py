"""The pieces of a filter, and the problems in it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from workbench.model.traffic.message_facts import MessageFacts

Test: TypeAlias = Callable[[MessageFacts], bool]


class FilterError(ValueError):
    """A text that is no valid filter: a problem with its fix, its index in the text, and the problems after it."""

    def __init__(self, message: str, position: int, others: "tuple[FilterError, ...]" = ()) -> None:
        super().__init__("; ".join((message, *map(str, others))))
        self.message = message
        self.position = position
        self.others = others


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a filter."""

    kind: str  # "word", "regex", "field", "compare", "path", "saved", or an operator itself
    text: str  # the word, pattern or value, without quotes
    position: int = field(compare=False)  # its index in the text
    name: str = ""  # of the field, in lower case
    operator: str = ""  # of a comparison
    is_quoted: bool = False
