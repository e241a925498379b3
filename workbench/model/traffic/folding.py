"""Which lines of a document are hidden: objects and lists are folded to one line, texts to one line with escapes.

A long document begins folded: at the level below which it would have more lines than a user reads. So does the metadata
of a message, which is nearly the same in each and would push the answer out of view.
"""

from array import array
from bisect import bisect_right

from workbench.model.traffic.json_document import JsonDocument

LONG = 1000
"""The number of lines from which a document begins folded."""

LONG_TEXT = 300
"""The number of lines from which plain text begins folded."""

SHOWN_OF_TEXT = 100
"""The number of lines of a folded plain text that are shown; the next line stands for the others."""

_DEEPEST = 8

_META = "_meta"
_META_DEPTH = 2
"""The level of the metadata of a message, which is a member of its parameters or its result."""
_SHORT_META = 3
"""The number of members of metadata that is not folded: a progress token, a task."""


class Folding:
    """The state of each line that can be folded, and the lines that are left."""

    def __init__(self, document: JsonDocument, *, is_message: bool = False) -> None:
        self._document = document
        self._is_message = is_message
        self._folded: set[int] = set()
        self._open_texts: set[int] = set()
        # The lines that are not hidden; None while all are shown.
        self._shown: array[int] | None = None
        if document.is_pretty and document.line_count > LONG:
            self._fold_at(self._first_depth())
        self._fold_text()
        self._fold_metadata()

    @property
    def count(self) -> int:
        """The number of lines that are shown."""
        return self._document.line_count if self._shown is None else len(self._shown)

    @property
    def open_texts(self) -> set[int]:
        """The lines whose text is shown with its line breaks."""
        return self._open_texts

    def line_at(self, position: int) -> int:
        """Return the line at a position among those that are shown."""
        return position if self._shown is None else self._shown[position]

    def position_of(self, line: int) -> int:
        """Return the position of a line, or of the line that hides it."""
        return line if self._shown is None else max(0, bisect_right(self._shown, line) - 1)

    def is_shown(self, line: int) -> bool:
        return self._shown is None or self._shown[self.position_of(line)] == line

    def is_folded(self, line: int) -> bool:
        """Whether a line stands for an object or a list whose lines are hidden."""
        return line in self._folded

    def can_fold(self, line: int) -> bool:
        """Whether a line begins or ends an object or a list, or has a text with line breaks."""
        return self._end(line) != line or self._document.partner(line) != line or bool(self._document.broken_text(line))

    def toggle(self, line: int) -> int | None:
        """Fold or unfold the object, list or text of a line, and return its first line; None if it has none."""
        opening = min(line, self._document.partner(line))
        if self._end(opening) != opening:
            self._folded ^= {opening}
            self._update()
        elif self._document.broken_text(line):
            self._open_texts ^= {line}
        else:
            return None
        return opening

    def toggle_all(self) -> None:
        """Unfold everything if something is folded; else fold all but the outermost object or list."""
        if self._folded:
            self._folded.clear()
            self._update()
        else:
            self._fold_at(1)
            self._fold_text()

    def reveal(self, line: int) -> None:
        """Unfold everything that hides a line."""
        if not self.is_shown(line) or (self.is_folded(line) and not self._document.is_pretty):
            self._folded = {fold for fold in self._folded if not fold <= line <= self._end(fold)}
            self._update()

    def _fold_at(self, depth: int) -> None:
        self._folded = set(self._document.openings(depth))
        self._update()

    def _fold_text(self) -> None:
        """Fold the end of a long plain text."""
        if not self._document.is_pretty and self._end(SHOWN_OF_TEXT) != SHOWN_OF_TEXT:
            self._folded.add(SHOWN_OF_TEXT)
            self._update()

    def _fold_metadata(self) -> None:
        """Fold long metadata of a message."""
        document = self._document
        offset = document.text.find(f'"{_META}"') if self._is_message and document.is_pretty else -1
        while offset >= 0:
            line = document.line_at(offset)
            is_long = document.partner(line) - line > _SHORT_META
            if is_long and document.depth(line) == _META_DEPTH and document.key(line) == _META:
                self._folded.add(line)
            offset = document.text.find(f'"{_META}"', offset + 1)
        self._update()

    def _end(self, line: int) -> int:
        """Return the last line that a folded line stands for; the line itself if it does not fold."""
        document = self._document
        if document.is_pretty:
            return document.partner(line)
        is_fold = line == SHOWN_OF_TEXT and document.line_count > LONG_TEXT
        return document.line_count - 1 if is_fold else line

    def _first_depth(self) -> int:
        """Return the deepest level at which a folded document is short; at least 1."""
        counts = self._document.lines_by_depth()
        depth, total = 1, counts[0] + counts[1]
        while depth < _DEEPEST and total + counts[depth + 1] <= LONG:
            depth += 1
            total += counts[depth]
        return depth

    def _update(self) -> None:
        if not self._folded:
            self._shown = None
            return
        shown, first = array("I"), 0
        for fold in sorted(self._folded):
            if fold >= first:
                shown.extend(range(first, fold + 1))
                first = self._end(fold) + 1
        shown.extend(range(first, self._document.line_count))
        self._shown = shown
