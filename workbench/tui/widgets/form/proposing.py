"""What the key for proposals offers for the field in focus: a calendar, files, choices, or values."""

import os
from typing import Any

from textual.app import App
from textual.widget import Widget

from workbench.model.forms.file_text import file_path
from workbench.model.forms.form import Form
from workbench.model.forms.moment import FORMATS
from workbench.model.forms.proposals import field_proposals
from workbench.tui.widgets.form.calendar import PROPOSALS, CalendarScreen
from workbench.tui.widgets.form.editor_keys import replace_text
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.widgets.form.list_row import ListLineRow
from workbench.tui.widgets.form.proposal_screen import choose_index, choose_proposal
from workbench.tui.widgets.form.text import AreaEditor, LineEditor
from workbench.tui.widgets.form.text_row import TextRow
from workbench.workspace.value_files import path_proposals


async def propose_for_field(view: FormView, form: Form, earlier: list[dict[str, Any]]) -> bool:
    """Let the user choose a value for the field in focus; False if nothing can be proposed there."""
    focused, row = view.screen.focused, view.focused_row
    if focused is None or row is None:
        return False
    if isinstance(row, ListLineRow) and row.field.is_line:
        texts = field_proposals(form, row.item_path, earlier)
        chosen = await _choose(view.app, row.item, row.field.item_shape.format, texts, row.line)
        if chosen is not None and row.is_attached:
            row.replace_item(chosen)
    elif isinstance(focused, LineEditor | AreaEditor):
        await _propose_text(view, form, earlier, focused)
    elif row.options:
        index = await choose_index(view.app, row.options, focused)
        if index is not None and row.is_attached:
            row.choose(index)
    else:
        return False
    return True


def has_proposals(view: FormView, form: Form, earlier: list[dict[str, Any]]) -> bool:
    """Whether there may be a value to choose for the field in focus: what the server proposes is not known before."""
    row = view.focused_row
    if row is None or not isinstance(row, TextRow):
        return row is not None and bool(row.options)
    is_line = isinstance(row, ListLineRow) and row.field.is_line
    shape = row.field.item_shape if is_line else row.field.shape
    path = row.item_path if isinstance(row, ListLineRow) and is_line else row.field.path
    is_file = row.field.kind == "string" and (row.field.text == "@" or row.field.file is not None)
    return shape.format in FORMATS or is_file or view.has_suggestions or bool(field_proposals(form, path, earlier))


async def _propose_text(
    view: FormView, form: Form, earlier: list[dict[str, Any]], editor: LineEditor | AreaEditor
) -> None:
    row = view.focused_row
    if row is None:
        return
    typed = editor.value if isinstance(editor, LineEditor) else editor.text
    if row.field.kind == "string" and (typed == "@" or file_path(typed) is not None):
        await _propose_file(view.app, editor, typed)
        return
    texts = field_proposals(form, row.field.path, earlier)
    texts = list(dict.fromkeys([*texts, *await view.suggestions(row.field.name, typed)]))
    format = row.field.format or ""
    chosen = await _choose(view.app, typed, format, texts, editor)
    if chosen is not None and editor.is_attached:
        replace_text(editor, chosen)


async def _propose_file(app: App[Any], editor: LineEditor | AreaEditor, typed: str) -> None:
    """Let the user choose a file, folder by folder."""
    while True:
        chosen = await choose_proposal(app, path_proposals(typed), editor)
        if chosen is None or not editor.is_attached:
            return
        replace_text(editor, chosen)
        if not chosen.endswith(os.sep):
            return
        typed = chosen


async def _choose(app: App[Any], typed: str, format: str, texts: list[str], beside: Widget) -> str | None:
    """Let the user choose a day or a time in a calendar, and otherwise, or on request, one of the texts."""
    if format not in FORMATS:
        return await choose_proposal(app, texts, beside)
    chosen = await app.push_screen_wait(CalendarScreen(typed, format, beside))
    return await choose_proposal(app, texts, beside) if chosen == PROPOSALS else chosen
