"""The rows of one document in a view: folded, wrapped at a width, and coloured.

A row that continues a line begins below the text of the line, so that the levels of JSON can be seen.
"""

from array import array
from collections.abc import Iterator

from rich.cells import cell_len, get_character_cell_size
from textual.cache import LRUCache
from textual.strip import Strip

from workbench.model.describe import plural
from workbench.model.traffic.folding import Folding
from workbench.model.traffic.json_document import INDENT, JsonDocument
from workbench.model.traffic.text_search import TextSearch
from workbench.model.traffic.wrapping import SECOND_CELL, Wrapping, row_starts
from workbench.tui.widgets.document_rows import Rows
from workbench.tui.widgets.paint import Paint, StyledText

MAX_MEASURED = 5000
"""The number of lines of a document that are measured for wrapping; later ones are cut at the edge."""

_MAX_STORED = 200

_MAX_BROKEN = 2000
"""The number of lines that are shown of a text in JSON."""

_FOLDED, _OPEN = "▸", "▾"

_HINT = "  enter unfolds"
"""What a folded row shows while it is under the cursor."""


class JsonRows(Rows):
    """The rows of a document; they change when something is folded, or the width changes."""

    def __init__(self, document: JsonDocument, paint: Paint, *, is_message: bool = False) -> None:
        self.document = document
        self.folding = Folding(document, is_message=is_message)
        self._paint = paint
        self._width = 1
        # The lines that are wider than the view, in order, with the cells at which their other rows begin.
        self._wide: dict[int, array[int]] = {}
        self._wrapping = Wrapping(0, ())
        # Long texts take a while: those of the lines in sight are stored.
        self._texts: LRUCache[int, list[StyledText]] = LRUCache(_MAX_STORED)
        self._broken: LRUCache[int, list[list[StyledText]]] = LRUCache(_MAX_STORED)

    @property
    def row_count(self) -> int:
        return self._wrapping.row_count

    def lay_out(self, width: int) -> None:
        self._width = max(1, width)
        self._wide = dict(self._wide_lines())
        self.update()

    def update(self) -> None:
        """Compute the rows after something was folded or unfolded."""
        self._texts.clear()
        self._broken.clear()
        folding = self.folding
        heights = {line: 1 + len(starts) for line, starts in self._wide.items()}
        heights.update((line, len(self._broken_rows(line))) for line in folding.open_texts)
        shown = ((line, height) for line, height in sorted(heights.items()) if folding.is_shown(line))
        tall = [(folding.position_of(line), height) for line, height in shown if not folding.is_folded(line)]
        self._wrapping = Wrapping(folding.count, tall)

    def toggle(self, line: int) -> int | None:
        opening = self.folding.toggle(line)
        if opening is not None:
            self.update()
        return opening

    def toggle_all(self) -> None:
        self.folding.toggle_all()
        self.update()

    def reveal(self, line: int) -> bool:
        if self.folding.is_shown(line):
            return False
        self.folding.reveal(line)
        self.update()
        return True

    def continues(self, row: int) -> bool:
        position, part = self._wrapping.at(row)
        return part > 0 and self.folding.line_at(position) not in self.folding.open_texts

    def line_of(self, row: int) -> int:
        return self.folding.line_at(self._wrapping.at(row)[0])

    def row_of(self, line: int) -> int:
        return self._wrapping.first_row(self.folding.position_of(line))

    def strip(self, row: int, background: str, search: TextSearch | None) -> Strip:
        position, part = self._wrapping.at(row)
        line = self.folding.line_at(position)
        is_open = line in self.folding.open_texts
        texts = self._broken_rows(line)[part] if is_open else self._marked_texts(line)
        part = 0 if is_open else part
        if background and self.folding.is_folded(line):
            texts = [*texts, (_HINT, "json--fold")]
        if search is not None:
            texts = list(with_matches(texts, search))
        whole = self._paint.strip(texts, background)
        starts = () if is_open or self.folding.is_folded(line) else self._wide.get(line, ())
        end = starts[part] if part < len(starts) else None
        if part == 0:
            return whole.crop(0, self._width if end is None else end)
        indent, start = self._indent(line), starts[part - 1]
        blank = self._paint.strip([(" " * indent, "")], background)
        return Strip.join([blank, whole.crop(start, start + self._width - indent if end is None else end)])

    def _marked_texts(self, line: int) -> list[StyledText]:
        """Return the texts of a line, with the mark of what is folded and what it hides."""
        if (texts := self._texts.get(line)) is None:
            texts = self._texts[line] = self._new_texts(line)
        return texts

    def _new_texts(self, line: int) -> list[StyledText]:
        document, folding = self.document, self.folding
        texts: list[StyledText] = [(text, f"json--{kind}") for text, kind in document.line(line)]
        if folding.is_folded(line) and not document.is_pretty:
            return [(f"{_FOLDED} {plural(document.line_count - line, 'more line')}", "json--fold")]
        if folding.is_folded(line):
            ending = document.plain_line(document.partner(line)).strip()
            hidden = f" {plural(document.members(line), 'member')}"
            texts += [("…", "json--fold"), (ending, "json--punctuation"), (hidden, "json--fold")]
            return _with_mark(texts, _FOLDED)
        if document.broken_text(line):
            return _with_mark(texts, _FOLDED)
        return texts

    def _broken_rows(self, line: int) -> list[list[StyledText]]:
        """Return the rows of a text that is shown with its line breaks."""
        if (rows := self._broken.get(line)) is None:
            rows = self._broken[line] = self._new_broken_rows(line)
        return rows

    def _new_broken_rows(self, line: int) -> list[list[StyledText]]:
        document, indent = self.document, self._indent(line)
        room = max(1, self._width - indent)
        key = [(text, f"json--{kind}") for text, kind in document.line(line) if kind != "string"]
        rows = [_with_mark(key, _OPEN)]
        lines = document.broken_text(line)
        for text in lines[:_MAX_BROKEN]:
            strip = self._paint.strip([(text, "json--string")])
            starts = [0, *row_starts(cells_of(text), room, room)]
            parts = zip(starts, [*starts[1:], strip.cell_length], strict=True)
            rows += [[(" " * indent, ""), (strip.crop(*part).text, "json--string")] for part in parts]
        if len(lines) > _MAX_BROKEN:
            rows.append([(" " * indent, ""), (f"… {plural(len(lines) - _MAX_BROKEN, 'more line')}", "json--fold")])
        return rows

    def _indent(self, line: int) -> int:
        """Return the indentation of the rows that continue a line; a narrow view has little room for it."""
        document = self.document
        if document.is_pretty:
            indent = INDENT * (document.depth(line) + 1)
        else:
            text = document.plain_line(line)
            indent = len(text) - len(text.lstrip(" "))
        return min(indent, self._width // 2)

    def _wide_lines(self) -> Iterator[tuple[int, "array[int]"]]:
        document, width, measured = self.document, self._width, 0
        for line in range(document.line_count):
            if document.bound(line) <= width:
                continue
            if (measured := measured + 1) > MAX_MEASURED:
                return
            cells = cells_of(document.plain_line(line))
            if len(cells) > width:
                yield line, array("I", row_starts(cells, width, width - self._indent(line)))


def folded(text: str, width: int) -> list[str]:
    """Return the rows of a line that is folded between words."""
    cells = cells_of(text)
    starts = [0, *row_starts(cells, width, width)]
    return [cells[start:end].replace(SECOND_CELL, "") for start, end in zip(starts, [*starts[1:], None], strict=True)]


def cells_of(text: str) -> str:
    """Return a text with a character for each cell."""
    if len(text) == cell_len(text):
        return text
    return "".join((char + SECOND_CELL)[: get_character_cell_size(char)] for char in text)


def _with_mark(texts: list[StyledText], mark: str) -> list[StyledText]:
    """Put a mark into the indentation; the outermost level has none."""
    if texts and texts[0][1] == "json--plain" and texts[0][0].isspace():
        return [(texts[0][0][:-INDENT], ""), (f"{mark} ", "json--fold"), *texts[1:]]
    return texts


def with_matches(texts: list[StyledText], search: TextSearch) -> Iterator[StyledText]:
    """Yield the texts of a line, split where the matches of a search begin and end."""
    spans, offset = search.spans("".join(text for text, _ in texts)), 0
    for text, name in texts:
        start = 0
        for first, last in spans:
            if first - offset >= len(text) or last <= offset + start:
                continue
            begin, end = max(first - offset, start), min(last - offset, len(text))
            yield text[start:begin], name
            yield text[begin:end], "json--match"
            start = end
        yield text[start:], name
        offset += len(text)
