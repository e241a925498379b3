"""The name, the description and the hints of an offer, above its form."""

from collections.abc import Collection

from textual.content import Content
from textual.widgets import Static

from workbench.model.catalog import Offer, OfferKind
from workbench.model.describe import plural
from workbench.model.markdown_text import markdown_lines
from workbench.model.missing_requirements import run_notes
from workbench.model.short_text import escaped
from workbench.tui.colours import KEY, MARKDOWN, MUTED, WARN
from workbench.tui.key_bindings import key_for

_DEFINITION_KEY = key_for("show_definition", "tools")
# How many rows of a description are shown, and how many in a terminal of few rows.
_MAX_ROWS = 4
_MAX_ROWS_IN_LOW = 2
_LOW = 20
_HINTS = {
    "readOnlyHint": "read-only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "reaches other systems",
}


class OfferHead(Static):
    """The name, the description and the hints of an offer, above its form."""

    DEFAULT_CSS = """
    OfferHead { height: auto; max-height: 12; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._offer: Offer | None = None
        self._missing: Collection[str] = ()
        self._has_description = True
        self._width = 0

    def show(self, offer: Offer | None, missing: Collection[str] = ()) -> None:
        self._offer, self._missing = offer, missing
        self._paint()

    def show_description(self, *, is_shown: bool) -> None:
        """Show the description, or leave it out where the whole definition is below."""
        if is_shown != self._has_description:
            self._has_description = is_shown
            self._paint()

    def on_resize(self) -> None:
        if self.content_size.width != self._width:
            self._paint()

    def _paint(self) -> None:
        self._width = self.content_size.width
        if self._offer is None:
            self.update(Content("Nothing is selected."))
        else:
            self.update(_head(self._offer, self._missing, self._description(self._offer.description)))

    def _description(self, description: str) -> Content:
        rows = _MAX_ROWS_IN_LOW if self.app.size.height < _LOW else _MAX_ROWS
        return shortened_description(description, self._width, rows) if self._has_description else Content("")


def shortened_description(description: str, width: int, max_rows: int) -> Content:
    """Return the first rows of a description, as styled text; a cut one ends with the key that shows the whole."""
    # Cut before it is read: the text may be huge.
    limit = max_rows * max(width, 20) * 4
    source = description.strip()[:limit]
    lines = [Content.assemble(*((text, MARKDOWN[style]) for text, style in line)) for line in markdown_lines(source)]
    if width < 1:
        return lines[0] if lines else Content("")
    rows = [row.rstrip() for line in lines[: max_rows + 1] for row in line.wrap(width)]
    if len(rows) <= max_rows and len(source) < limit:
        return Content("\n").join(rows)
    *first, last = rows[:max_rows] or [Content("")]
    end = f" … {_DEFINITION_KEY}"
    return Content("\n").join(
        [*first, Content.assemble(last.truncate(max(0, width - len(end))).rstrip(), (end, MUTED))]
    )


def _head(offer: Offer, missing: Collection[str], description: Content) -> Content:
    parts: list[Content | tuple[str, str]] = [(escaped(offer.name), KEY)]
    if offer.title != offer.name:
        parts.append((f"  {escaped(offer.title)}", MUTED))
    if offer.kind is not OfferKind.TOOL:
        parts.append((f"  {offer.kind.value}", MUTED))
    if hints := _hints(offer):
        parts.append((f"  {hints}", WARN))
    parts += [(f"\n! {escaped(line)}", WARN) for line in missing]
    if description:
        parts += [Content("\n"), description]
    if mime := offer.definition.get("mimeType"):
        parts.append((f"\n{escaped(str(mime))}", MUTED))
    key = key_for("fill_example", "tools")
    examples = f"{plural(len(offer.examples), 'example')}: {key}" if offer.examples else ""
    if run := " · ".join(filter(None, (run_notes(offer.definition), examples))):
        parts.append((f"\n{escaped(run)}", MUTED))
    return Content.assemble(*parts)


def _hints(offer: Offer) -> str:
    annotations = offer.definition.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    return " · ".join(text for key, text in _HINTS.items() if hints.get(key) is True)
