"""The rows of the fields below a field.

Mounting takes long, so the first rows are mounted at once and the others in batches; the screen is painted in between.
After a change, the rows with the same key and signature stay, and only the others are created or removed.
"""

from collections.abc import Callable, Collection
from typing import Any, TypeAlias

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import AwaitMount

from workbench.model.forms.field import Field
from workbench.model.forms.folded_fields import folded_fields
from workbench.tui.widgets.form.optional_fields import OptionalFields
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.laid_out_once import LaidOutOnce

MakeRow: TypeAlias = Callable[[Field], FieldRow]
"""Returns a new row for a field; passed in, since the rows of groups contain rows of every kind."""

# How many rows are mounted before the screen is painted again.
_BATCH_SIZE = 8


class Children(Vertical, LaidOutOnce):
    DEFAULT_CSS = """
    Children { height: auto; }
    """

    class RowsReady(Message):
        """More rows are mounted."""

        def __init__(self, container: "Children") -> None:
            super().__init__()
            self.container = container

    def __init__(self, fields: list[Field], make_row: MakeRow) -> None:
        super().__init__()
        self._make_row = make_row
        # The optional fields that are folded into the line below the rows, until the user opens it.
        self._is_open = False
        self._fold = OptionalFields()
        self._rows = [make_row(field) for field in self._split(fields, shown_before=())]
        # The number of rows that are mounted, from the first.
        self._align_labels()
        self._mounted_count = min(_BATCH_SIZE, len(self._rows))
        self._mounting: AwaitMount | None = None

    def compose(self) -> ComposeResult:
        yield from self._rows[: self._mounted_count]
        yield self._fold

    def on_mount(self) -> None:
        self._continue_mounting()

    async def complete(self) -> None:
        """Mount all remaining rows now, and wait for them."""
        if not self.is_mounted:
            return  # The first rows are not mounted yet, and the others follow.
        if self._mounting is not None:
            await self._mounting
        rest = self._rows[self._mounted_count :]
        self._mounted_count = len(self._rows)
        await self.mount_all(rest, before=self._fold)

    def unfold(self) -> None:
        """Show the optional fields too, from now on."""
        fields = [*(row.field for row in self._rows), *self._fold.fields]
        self._is_open = True
        # In the order of the schema.
        parent = fields[0].parent if fields else None
        self.show(fields if parent is None else [field for field in parent.children if field in fields])

    async def open_fold(self) -> None:
        """Show the optional fields and go to the first of them."""
        if folded := self._fold.fields:
            self.unfold()
            await self._focus(next(i for i, row in enumerate(self._rows) if row.field is folded[0]))

    def folds(self, field: Field) -> bool:
        return field in self._fold.fields

    async def focus_first(self) -> None:
        """Focus the first row, as soon as it is mounted."""
        await self._focus(0)

    async def focus_last(self) -> None:
        await self._focus(-1)

    def holds(self, row: FieldRow) -> bool:
        """Whether a row is among these, and has not just been removed."""
        return row in self._rows

    def show(self, fields: list[Field]) -> None:
        """Show fields: rows of fields that still exist stay, others are created or removed."""
        # Matched by the last keys, since the fields of the rows may have changed theirs already.
        unmatched = {row.last_key: row for row in self._rows}
        rows: list[FieldRow] = []
        for field in self._split(fields, shown_before=unmatched):
            row = unmatched.get(field.key)
            if row is not None and row.can_show(field):
                row.show(field)
                rows.append(unmatched.pop(field.key))
            else:
                rows.append(self._make_row(field))
        remaining = [row for row in self._rows if row.last_key not in unmatched]
        is_reordered = remaining != [row for row in rows if row in remaining]
        self._rows = rows
        self._align_labels()
        for row in unmatched.values():
            if row.parent is not None:
                row.remove()
        self._update_mounted(is_reordered)
        if self.is_mounted:
            self.call_next(self._mount_more)

    def _split(self, fields: list[Field], shown_before: Collection[str | int]) -> list[Field]:
        """Fold the optional fields without input, and return the rows' fields."""
        folded = [] if self._is_open else folded_fields(fields, shown_before)
        self._fold.show(folded)
        return [field for field in fields if field not in folded]

    def _align_labels(self) -> None:
        """Give the labels beside the editors the same width."""
        labels = [row.label for row in self._rows]
        width = max((label.full_width for label in labels if not label.can_focus), default=0)
        for label in labels:
            if label.column_width != width:
                label.column_width = width
                label.refresh(layout=True)

    async def _focus(self, index: int) -> None:
        await self.complete()
        if self._rows:
            self._rows[index].focus_editor()
            self._rows[index].scroll_visible(animate=False)

    def _update_mounted(self, is_reordered: bool) -> None:
        """Mount new rows up to the last mounted one, and move rows; the new ones after it follow in batches."""
        mounted = [index for index, row in enumerate(self._rows) if row.parent is not None]
        if not self.is_mounted and not mounted:  # `compose` has not run yet, and will mount the first rows.
            self._mounted_count = min(_BATCH_SIZE, len(self._rows))
            return
        self._mounted_count = mounted[-1] + 1 if mounted else 0
        previous: FieldRow | None = None
        for row in self._rows[: self._mounted_count]:
            place: dict[str, Any] = {"before": 0} if previous is None else {"after": previous}
            if row.parent is None:
                self.mount(row, **place)
                self.call_after_refresh(self.post_message, self.RowsReady(self))
            elif is_reordered and not (previous is None and self.children[0] is row):
                self.move_child(row, **place)
            previous = row

    def _continue_mounting(self) -> None:
        """Notify that a batch is mounted, and mount the next after this is painted."""
        self.post_message(self.RowsReady(self))
        self.call_after_refresh(self._mount_more)

    async def _mount_more(self) -> None:
        """Mount the next batch of rows, and after it is painted the batch after it."""
        batch = self._rows[self._mounted_count : self._mounted_count + _BATCH_SIZE]
        if batch and self.is_attached:
            self._mounted_count += len(batch)
            # Textual would lay out the screen with the empty rows, and once more with their editors.
            with self.app.batch_update():
                self._mounting = self.mount_all(batch, before=self._fold)
                await self._mounting
            self.call_after_refresh(self._continue_mounting)


def is_removed(row: FieldRow) -> bool:
    """Whether a row or its parent is being removed, though it may still be on the screen."""
    inner: FieldRow = row
    for ancestor in row.ancestors:
        if isinstance(ancestor, Children) and not ancestor.holds(inner):
            return True
        inner = ancestor if isinstance(ancestor, FieldRow) else inner
    return False
