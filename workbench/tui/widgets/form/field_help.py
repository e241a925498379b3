"""The help of the field in focus, at a fixed place below the rows: moving from field to field moves no row."""

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.model.forms.field import Field
from workbench.model.short_text import escaped
from workbench.tui.colours import KEY, MUTED
from workbench.tui.widgets.form.field_suggestions import proposals_text
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.widgets.form.label import help_text, name_text
from workbench.tui.widgets.form.text_row import TextRow

# The rows of the help, by the height from which the form has them.
_ROWS = {0: 1, 8: 2, 24: 3, 40: 4}


class FieldHelp(Static):
    """Name, type, limits and description of a field, and what the server proposes for its text."""

    DEFAULT_CSS = """
    FieldHelp {
        height: 2;
        padding: 0 1;
        color: $text-muted;
        background: $surface;
        &.-empty { background: transparent; }
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._field: Field | None = None
        self._proposals: Sequence[str] = ()
        self._hint = ""

    def show_field(self, field: Field | None) -> None:
        self._field, self._proposals, self._hint = field, (), ""
        self._paint()

    def show_hint(self, text: str) -> None:
        """Show before the help what keys do in the field."""
        self._hint = text
        self._paint()

    def show_proposals(self, field: Field, texts: Sequence[str]) -> None:
        """Show proposals below the help of a field, unless another field has the focus by now."""
        if field is self._field and list(texts) != list(self._proposals):
            self._proposals = texts
            self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        width, rows = self.content_size.width, self.content_size.height - bool(self._proposals)
        lines = [] if self._field is None else [_fitted(self._field, self._hint, width, rows)] * (rows > 0)
        if self._proposals:
            lines.append(Content.styled(proposals_text(self._proposals), "$text-accent").truncate(width, ellipsis=True))
        # No empty box; its rows stay, so that no field moves from under the mouse that clicks it.
        self.set_class(not lines, "-empty")
        self.update(Content("\n").join(lines))


class FormRows(Vertical):
    """The rows of a form, and below them the help of the field in focus."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view = FormView()
        self._help = FieldHelp()

    def compose(self) -> ComposeResult:
        yield self._view
        yield self._help

    def on_resize(self, event: events.Resize) -> None:
        self._help.styles.height = rows = max(rows for height, rows in _ROWS.items() if event.size.height >= height)
        # The help follows the rows of a short form, and is at the bottom of a long form.
        self._view.styles.max_height = max(1, event.size.height - rows)

    @on(FormView.FieldEntered)
    def _entered(self, event: FormView.FieldEntered) -> None:
        event.stop()
        self._help.show_field(event.field)

    @on(FormView.Hinted)
    def _hinted(self, event: FormView.Hinted) -> None:
        event.stop()
        self._help.show_hint(event.text)

    @on(TextRow.Proposed)
    def _proposed(self, event: TextRow.Proposed) -> None:
        event.stop()
        self._help.show_proposals(event.field, event.texts)


def _fitted(field: Field, hint: str, width: int, rows: int) -> Content:
    """Return a hint and the help of a field in at most so many rows; a cut text ends with an ellipsis."""
    name = name_text(field) if field.parent is not None else Content("")
    if hint:
        name = Content.assemble((escaped(hint), KEY), "  " if name else "", name)
    # Cut before it is folded: the text may be huge.
    text = help_text(field)[: (rows + 1) * max(width, 1)]
    whole = Content.assemble(name, "  " if name else "", (text, MUTED))
    folded = whole.wrap(max(width, 1))
    if len(folded) <= rows:
        return whole
    last = (folded[rows - 1].rstrip() + Content(" ") + folded[rows]).truncate(width, ellipsis=True)
    return Content("\n").join([*(row.rstrip() for row in folded[: rows - 1]), last])
