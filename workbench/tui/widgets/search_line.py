"""The state of a search in documents: its text, its matches and the match under the cursor."""

from workbench.model.short_text import escaped
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.text_search import MAX_MATCHES, TextSearch, following

_MAX_LENGTH = 1000


class SearchLine:
    """A search: closed, open with a text, or open while the text is typed."""

    def __init__(self) -> None:
        self.is_open = False
        self.is_typing = False
        self.is_stale = False  # Whether the text has changed since the last `find`.
        self._text = ""
        # Places of the matches: the number of the document, and the line.
        self._places: list[tuple[int, int]] = []
        self._current: int | None = None

    @property
    def search(self) -> TextSearch | None:
        """What is marked in the documents; None while nothing is searched for."""
        return TextSearch(self._text) if self.is_open and self._text else None

    def begin(self) -> None:
        """Open the search for a new text."""
        self.is_open = self.is_typing = self.is_stale = True
        self._text = ""

    def stop_typing(self) -> None:
        """Keep the text; a search without a text is closed."""
        self.is_typing = False
        if not self._text:
            self.close()

    def close(self) -> None:
        """Drop the text and its matches."""
        self.is_open = self.is_typing = False
        self._places, self._current = [], None

    def press(self, key: str, character: str | None) -> bool:
        """Handle a key while the text is typed, and return whether it was one of the search."""
        match key:
            case "enter":
                self.stop_typing()
            case "escape":
                self.close()
            case "backspace" if not self._text:
                self.close()
            case "backspace":
                self._set(self._text[:-1])
            case "ctrl+u":
                self._set("")
            case _ if character is not None:
                self.add(character)
            case _:
                return False
        return True

    def add(self, text: str) -> None:
        """Add typed or pasted text; of several lines, the first."""
        self._set((self._text + text.partition("\n")[0].rstrip("\r"))[:_MAX_LENGTH])

    def find(self, documents: list[JsonDocument]) -> None:
        """Find the matches in documents."""
        self.is_stale, self._current, self._places = False, None, []
        if (search := self.search) is not None:
            for number, document in enumerate(documents):
                self._places += [(number, line) for line in search.lines(document)]

    def move(self, place: tuple[int, int], step: int) -> tuple[int, int] | None:
        """Return the place of the next match after a place, or before it for step -1; None if there is no match."""
        if not self._places:
            return None
        self._current = following(self._places, place, step)
        return self._places[self._current]

    def describe(self) -> str:
        """Return the search and its matches on one line."""
        return f"/{escaped(self._text)}{'▏' if self.is_typing else ''}  {self._matches()}"

    def _matches(self) -> str:
        if not self._text:
            return "enter keeps the search · esc closes it"
        count = f"{len(self._places):,}{'+' if len(self._places) >= MAX_MATCHES else ''}"
        if not self._places:
            return "no match"
        return f"{count} matches" if self._current is None else f"{self._current + 1:,} of {count}"

    def _set(self, text: str) -> None:
        self._text, self.is_stale = text, True
