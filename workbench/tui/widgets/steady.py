"""Textual's widgets, made robust against input that arrives between a change and the next layout.

Until then a list still shows entries that were removed and has entries without lines, and the style under the mouse is
read from a text area that was removed. Both would raise an error, which ends the app.
"""

import re
from collections.abc import Hashable
from contextlib import suppress
from typing import Any, ClassVar, TypeVar

from rich.segment import Segment
from rich.style import Style as RichStyle
from rich.text import Text
from textual import events, on, widgets
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandList
from textual.geometry import Region
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import OptionList, Select, SelectionList, Static
from textual.widgets._select import NonSelectableStatic, SelectCurrent, SelectOverlay
from textual.widgets._toggle_button import ToggleButton

from workbench.model.short_text import escaped

Value = TypeVar("Value", bound=Hashable)
T = TypeVar("T")

SEARCH_S = 1.5
"""Seconds after which a key begins a new search in a drop-down: more than in Textual, as the text is shown."""

_FUNCTION_KEY = re.compile(r"f\d+")


class SteadyOptions(OptionList):
    """A list that ignores a click on a removed entry, and a move before it has lines.

    As a mixin it comes after the list class, since Textual reads styles from the first base class only.
    """

    # Both methods are Textual's private handlers: they read the lines, and no public method is between.
    def _move_page(self, direction: Any) -> None:
        with suppress(LookupError):
            super()._move_page(direction)

    async def _on_click(self, event: events.Click) -> None:
        # The index of the entry is in the painted line, which may be older than the entries.
        if (event.style.meta.get("option") or 0) >= self.option_count:
            event.prevent_default()


class Commands(CommandList, SteadyOptions):
    """The list of entries in the palette.

    The texts of the row under the cursor have the colour of the cursor: their own colours are not readable on it.
    """

    DEFAULT_CSS = """
    Commands > .option-list--option-highlighted {
        color: $block-cursor-foreground;
        background: $block-cursor-background;
    }
    """

    def render_line(self, y: int) -> Strip:
        line = super().render_line(y)
        index = next((style.meta["option"] for _, style, _ in line if style and "option" in style.meta), None)
        if index is None or index != self.highlighted:
            return line
        cursor = RichStyle(color=self.get_component_rich_style("option-list--option-highlighted").color)
        return Strip([Segment(text, (style or RichStyle()) + cursor) for text, style, _ in line])


class Overlay(SelectOverlay, SteadyOptions):
    """The list of a drop-down."""

    class Marked(Message):
        """The mark is on another entry."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Searched(Message):
        """The text that is searched for has changed."""

        def __init__(self, text: str, *, has_match: bool) -> None:
            super().__init__()
            self.text = text
            self.has_match = has_match

    class EnteredUnmatched(Message):
        """Enter was pressed with a typed text that no entry matches."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    has_blank = True
    """Whether the first entry stands for the absence of a value."""

    unmatched = ""
    """The text that was typed last, if no entry matches it; it stays in view until another search or a move."""

    _typed = ""

    def __init__(self, type_to_search: bool = True) -> None:
        super().__init__(type_to_search)
        self._search_reset_delay = SEARCH_S

    # Textual empties this private attribute when no key has been typed for a moment.
    @property
    def _search_query(self) -> str:
        return self._typed

    @_search_query.setter
    def _search_query(self, text: str) -> None:
        if not text and self.unmatched:
            self._typed = ""
        elif text != self._typed:
            self._search_for(text)

    def _find_search_match(self, query: str) -> int | None:
        """Return the entry with the text nearest to its start; the absence of a value comes last."""
        prompts = [str(option.prompt).lower() for option in self.options]
        matches = [
            (self.has_blank and index == 0, at, index)
            for index, prompt in enumerate(prompts)
            if (at := prompt.find(query.lower())) >= 0
        ]
        return min(matches)[2] if matches else None

    def action_select(self) -> None:
        if self.unmatched:
            self.post_message(self.EnteredUnmatched(self.unmatched))
        else:
            super().action_select()

    def forget_search(self) -> None:
        if self._typed or self.unmatched:
            self._search_for("")

    def _search_for(self, text: str) -> None:
        has_match = self._find_search_match(text) is not None
        self._typed, self.unmatched = text, "" if has_match else text
        if not has_match:
            # Without a mark, enter selects nothing; it would be on what the first letters have matched.
            self.highlighted = None
        self.post_message(self.Searched(text, has_match=has_match))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        # Textual's handler stops the message at the list.
        super().on_option_list_option_highlighted(event)
        if self.unmatched and event.option_index == self.highlighted:
            self.forget_search()
        self.post_message(self.Marked(event.option_index))

    def on_key(self, event: events.Key) -> None:
        if event.key == "backspace" and (self._typed or self.unmatched):
            event.stop()
            self._search_for(self._typed[:-1])
            if self._typed:
                self.select(self._find_search_match(self._typed))

    async def search(self, event: events.Key) -> None:
        """Go to the first entry with the typed text; further keys continue the text."""
        await self._on_key(event)


class Current(SelectCurrent):
    """The selected value, and at its right the text that is searched for in the open list."""

    DEFAULT_CSS = """
    Current {
        & Static#label, & .arrow { color: $text-disabled; }
        &.-has-value Static#label { color: $foreground; }
        & > .typed { width: auto; color: $text-accent; }
        /* A row less or more would move the fields below while the user types. */
        &.-searching > #label { height: 1; }
        &.-unmatched > #label { display: none; }
        &.-unmatched > .typed { width: 1fr; height: 1; }
    }
    """

    def compose(self) -> ComposeResult:
        _, *arrows = super().compose()
        # Textual's label reads a text as markup.
        yield NonSelectableStatic(self.placeholder, id="label", markup=False)
        yield Static(classes="typed", markup=False)
        yield from arrows

    def show_typed(self, text: str, *, has_match: bool) -> None:
        self.set_class(bool(text), "-searching")
        self.set_class(not has_match, "-unmatched")
        self.query_one(".typed", Static).update(f" {escaped(text)}{'' if has_match else ' · no match'}" if text else "")

    def show_unmatched(self, text: str) -> None:
        """Show that enter has found nothing to take; the text comes last, where it may be cut."""
        self.query_one(".typed", Static).update(f" no match: esc restores · {escaped(text)}")


class DropDown(Select[Value]):
    """A drop-down to select a single value, which follows the mark in the open list; esc restores the value before."""

    DEFAULT_CSS = """
    /* The bar shows without colours, too, that the rows are no fields. */
    DropDown.-textual-compact > Overlay {
        background: $panel;
        border-left: outer $border !important;
        & > .option-list--option { padding: 0 1 0 0; }
    }
    """

    has_blank = True
    """Whether the first entry stands for the absence of a value."""

    blank_text = ""
    """The text of the entry for the absence of a value; empty for the prompt of the drop-down."""

    class BlankChosen(Message):
        """The absence of a value was chosen, though there was no value: the drop-down may show a text that is none."""

    class LeftUnmatched(Message):
        """The open list was left, by tab or a click elsewhere, with a typed text that no entry matches."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    # The value and the mark when the list was opened, and whether the mark has moved since.
    _value_before: Any = Select.NULL
    _mark_before: int | None = None
    _has_moved = False
    # The value that the form has last shown or received.
    _received: Any = Select.NULL

    def leave_out_blank(self) -> None:
        """Have no entry for the absence of a value, and open at the first value; only before it is mounted."""
        self.has_blank = False
        del self._options[0]

    # Textual's private method and watcher: both would make an entry of what the closed drop-down shows.
    def _setup_options_renderables(self) -> None:
        super()._setup_options_renderables()
        self._show_blank()

    def _watch_prompt(self, prompt: str) -> None:
        if self.is_mounted:
            current = self.query_one(Current)
            current.placeholder = prompt
            if self.value is Select.NULL:
                current.update(Select.NULL)
            self._show_blank()

    def _show_blank(self) -> None:
        if self.has_blank:
            text = Text(self.blank_text or self.prompt, style="dim")
            self.query_one(Overlay).replace_option_prompt_at_index(0, text)

    # Textual's private method, which is called once the widget is mounted.
    def _init_selected_option(self, hint: Any = Select.NULL) -> None:
        self._received = hint
        super()._init_selected_option(hint)

    def show_value(self, value: Any) -> None:
        """Show the value of the form, unless the user has chosen another that the form has not received yet."""
        if not self.is_mounted or self.value == self._received:
            self.value = self._received = value

    def receive(self) -> Any:
        """Return the value, which the form receives now."""
        self._received = self.value
        return self.value

    def compose(self) -> ComposeResult:
        # As in Textual's `Select`, which creates the list itself, except for the classes.
        yield Current(self.prompt)
        overlay = Overlay(type_to_search=self._type_to_search)
        overlay.has_blank = self.has_blank
        yield overlay.data_bind(compact=Select.compact)

    # Textual's private watcher, which opens and closes the list.
    def _watch_expanded(self, expanded: bool) -> None:
        super()._watch_expanded(expanded)
        overlay = self.query_one_optional(Overlay)
        if overlay is None:
            return
        if not expanded:
            overlay.forget_search()
            return
        self._value_before, self._has_moved = self.value, False
        if not self.has_blank and self.value is Select.NULL:
            overlay.highlighted = 0
        self._mark_before = overlay.highlighted

    @on(Overlay.Marked)
    def _mark_moved(self, event: Overlay.Marked) -> None:
        """Take the marked value at once: the next key may leave the field, or send the form."""
        event.stop()
        if event.index != self.query_one(Overlay).highlighted:
            return  # The mark has moved on: to take an old place would move it back.
        self._has_moved = self._has_moved or event.index != (self._mark_before or 0)
        if self.expanded and self._has_moved and event.index < len(self._options):
            self.value = self._options[event.index][1]

    @on(Overlay.Searched)
    def _searched(self, event: Overlay.Searched) -> None:
        event.stop()
        self.query_one(Current).show_typed(event.text, has_match=event.has_match)
        overlay = self.query_one(Overlay)
        if not self.expanded:
            return
        if not event.has_match:
            self.value = self._value_before
            # The value has moved the mark.
            overlay.highlighted = None
        elif event.text and overlay.highlighted is not None:
            # The match may be the entry that was marked before the search.
            self._has_moved = True
            self.value = self._options[overlay.highlighted][1]

    def show_unmatched(self, text: str) -> None:
        """Keep the list open, and show that no value matches the text."""
        self.query_one(Current).show_unmatched(text)

    def close_list(self) -> str:
        """Close the list and take the marked value, as enter does; return the text that no value has matched."""
        overlay = self.query_one(Overlay)
        unmatched, mark = overlay.unmatched, overlay.highlighted
        if not unmatched and mark is not None:
            self.value = self._options[mark][1]
        if overlay.has_focus:
            self.screen.set_focus(self)
        self.expanded = False
        return unmatched

    @on(SelectOverlay.UpdateSelection)
    def _entry_chosen(self, event: SelectOverlay.UpdateSelection) -> None:
        if self.value is self._options[event.option_index][1] is Select.NULL:
            self.post_message(self.BlankChosen())

    @on(SelectOverlay.Dismiss)
    def _list_dismissed(self, event: SelectOverlay.Dismiss) -> None:
        if not event.lost_focus:
            self.value = self._value_before
        elif self.expanded and (text := self.query_one(Overlay).unmatched):
            self.post_message(self.LeftUnmatched(text))

    def on_key(self, event: events.Key) -> None:
        if event.is_printable and event.key != "space" and self.screen.focused is self:
            event.stop()
            self.search(event)

    def search(self, event: events.Key) -> None:
        """Open the list with a typed key as the search."""
        self.expanded = True
        # At once, since Textual focuses the list only later, which would begin a new search after this key.
        overlay = self.query_one(Overlay)
        self.screen.set_focus(overlay)
        overlay.call_later(overlay.search, event)


class Checklist(SelectionList[Value], SteadyOptions):
    """A list to select several values; the boxes of the selected ones have a check mark, which needs no colour."""

    def render_line(self, y: int) -> Strip:
        line = super().render_line(y)
        left, box, *rest = line
        if box.text != ToggleButton.BUTTON_INNER:
            return line  # Below the last entry.
        index = (box.style and box.style.meta.get("option")) or 0
        is_selected = self.get_option_at_index(index).value in self.selected
        return Strip([left, Segment("✓" if is_selected else " ", box.style), *rest])


class SingleAnswerScreen(Screen[T]):
    """A screen over others that accepts only its first answer, and closes when no other screen is above it.

    Keys that were typed ahead reach a dialog that already has its answer. For each of them, Textual would close the
    topmost screen, the main screen last, which ends the program.

    Textual reads styles and bindings from the first base class only, so this mixin comes after the screen class.
    """

    # The answer given while another screen was above this one, in a tuple, since None is an answer.
    _answer: tuple[T | None] | None = None

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        if self.is_active:
            return super().dismiss(result)
        if self in self.app.screen_stack and self._answer is None:
            self._answer = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        if self._answer is not None:
            self.dismiss(*self._answer)


class TextArea(widgets.TextArea, inherit_bindings=False):
    """A text area that is blank once it is removed, and leaves the function keys to the actions of the app.

    A removed one has no component styles any more and, in a theme of ANSI colours, no background.
    """

    # Textual's text area selects a line with f6, and everything with f7.
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            binding
            for binding in widgets.TextArea.BINDINGS
            if isinstance(binding, Binding) and not _FUNCTION_KEY.fullmatch(binding.key)
        ),
        Binding("alt+a", "select_all", show=False),
    ]

    def render_lines(self, crop: Region) -> list[Strip]:
        if self.is_attached:
            return super().render_lines(crop)
        return [Strip.blank(crop.width)] * crop.height
