"""An app around one form, for the tests of its rows."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tests.waiting import until
from workbench.model.forms.field import Path
from workbench.model.forms.form import Form
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.field_suggestions import Suggest
from workbench.tui.widgets.form.row import FieldRow


class FormHost(App[None]):
    """Shows one form.

    Args:
        form: the form.
        suggest: proposes values for its texts.
    """

    def __init__(self, form: Form, suggest: Suggest | None = None) -> None:
        super().__init__()
        self.form = form
        self.suggest = suggest

    def compose(self) -> ComposeResult:
        yield FormEditor()

    def on_mount(self) -> None:
        self.editor.show(self.form, self.suggest)

    @property
    def editor(self) -> FormEditor:
        return self.query_one(FormEditor)

    def row(self, *path: str | int) -> FieldRow:
        """Return the outermost row of a field."""
        return next(row for row in self.query(FieldRow) if row.field.path == path)

    def paths(self) -> list[Path]:
        """Return the fields that have a row, from top to bottom."""
        return [row.field.path for row in self.query(FieldRow)]


@asynccontextmanager
async def hosted(
    schema: Any, value: Any = None, suggest: Suggest | None = None, *, with_items: bool = False
) -> AsyncIterator[tuple[Pilot[None], FormHost]]:
    """Show a form of a schema with a value, and wait until every row is mounted.

    Args:
        schema: the schema.
        value: the value.
        suggest: proposes values for its texts.
        with_items: whether lists of scalars have a row for each item.
    """
    form = Form(schema)
    if value is not None:
        form.load(value)
    lists = [field.path for field in form.fields() if field.is_line and with_items]
    for path in lists:
        form.show_items(path, True)
    app = FormHost(form, suggest)
    async with app.run_test(size=(80, 50)) as pilot:
        count = len(form.root.children)
        await until(lambda: len([path for path in app.paths() if len(path) == 1]) >= count)
        await pilot.pause()
        yield pilot, app


def objects(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with these properties, none of them required."""
    return {"type": "object", "properties": properties}
