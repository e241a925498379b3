"""The rows of a text in Markdown in a view: rendered, with the colours of the view."""

from io import StringIO

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from workbench.model.short_text import escaped_lines
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.text_search import TextSearch
from workbench.tui.widgets.document_rows import Rows
from workbench.tui.widgets.paint import Paint, highlighted

_STYLES = {
    "markdown.h1": "json--column",
    "markdown.h2": "json--column",
    "markdown.h3": "json--column",
    "markdown.h4": "json--column",
    "markdown.code": "json--string",
    "markdown.link_url": "json--key",
    "markdown.link": "json--key",
    "markdown.item.bullet": "json--fold",
    "markdown.item.number": "json--fold",
    "markdown.hr": "json--fold",
    "markdown.block_quote": "json--fold",
    "markdown.table.border": "json--fold",
    "markdown.table.header": "json--column",
}


class MarkdownRows(Rows):
    """The rows of rendered Markdown, each a line of the document, so that a search finds what is on the screen."""

    def __init__(self, document: JsonDocument, paint: Paint) -> None:
        self.document = document
        self._text = document.text
        self._paint = paint
        self._strips: list[Strip] = []

    @property
    def row_count(self) -> int:
        return len(self._strips)

    def lay_out(self, width: int) -> None:
        # Imported when it is needed: its parser takes a while.
        from rich.console import Console
        from rich.markdown import Markdown
        from rich.theme import Theme

        theme = Theme({name: self._paint.style(class_) for name, class_ in _STYLES.items()})
        console = Console(file=StringIO(), width=max(1, width), theme=theme, color_system="truecolor", no_color=False)
        markdown = Markdown(escaped_lines(self._text), hyperlinks=False, code_theme="ansi_dark")
        base = self._paint.style()
        strips = [Strip(Segment.apply_style(line, base)) for line in console.render_lines(markdown, pad=False)]
        # Tables and code are rendered with several blank rows around them.
        blank = [not strip.text.strip() for strip in strips]
        self._strips = [
            strip for index, strip in enumerate(strips) if not blank[index] or (index and not blank[index - 1])
        ]
        text = "\n".join(strip.text.rstrip() for strip in self._strips)
        self.document = JsonDocument(text.encode("utf-8", "backslashreplace"))

    def line_of(self, row: int) -> int:
        return min(row, self.document.line_count - 1)

    def row_of(self, line: int) -> int:
        return line

    def strip(self, row: int, background: str, search: TextSearch | None) -> Strip:
        strip = self._strips[row]
        if background:
            strip = highlighted(strip, 0, -1, Style(bgcolor=self._paint.style(background=background).bgcolor))
        for start, end in search.spans(strip.text) if search is not None else ():
            strip = highlighted(strip, start, end, self._paint.style("json--match"))
        return strip
