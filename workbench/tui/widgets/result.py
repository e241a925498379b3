"""The view of the result of a tool, a resource or a prompt: follows links, and saves and opens content."""

from typing import Any, ClassVar, Literal

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message

from workbench.model.catalog import OfferKind
from workbench.model.describe import json_text
from workbench.model.history import CallRun
from workbench.model.json_members import text_in
from workbench.model.saved_content import SavedContent, content_of_item
from workbench.tui.widgets.json_view import JsonView
from workbench.tui.widgets.picture_loader import PictureLoader
from workbench.tui.widgets.result_sections import ERROR, NOTE, resource_sections, run_sections
from workbench.tui.widgets.sections import Section


class ResultView(JsonView):
    IS_RENDERED = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "use_content('save')", show=False),
        Binding("o", "use_content('view')", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {ERROR, NOTE}

    DEFAULT_CSS = """
    ResultView {
        padding: 0 1;
        & > .result--error { color: $text-error; text-style: bold; }
        & > .result--note { color: $text-muted; text-style: italic; }
    }
    """

    class ContentChosen(Message):
        """The user wants to save the content under the cursor, or to open it."""

        def __init__(self, content: SavedContent, action: Literal["save", "view"]) -> None:
            super().__init__()
            self.content = content
            self.action = action

    class LinkFollowed(Message):
        """The user wants to read the resource of a link."""

        def __init__(self, view: "ResultView", uri: str) -> None:
            super().__init__()
            self.view = view
            self.uri = uri

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        # What was shown before a link was followed: the sections, the result and the cursor.
        self._before: list[tuple[tuple[Section, ...], dict[str, Any] | None, int]] = []
        # What is shown, without its pictures.
        self._given: tuple[Section, ...] = ()
        self._pictures = PictureLoader(self, self._show_again)
        # The result that is shown; None for other documents.
        self._result: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        return super().text if self._result is None else json_text(self._result, indent=2)

    def show(self, *sections: Section) -> None:
        self._result = None
        self._given = sections
        super().show(*self._pictures.add_pictures(sections))

    def on_resize(self) -> None:
        if self._pictures.has_pictures:
            # Their size depends on the height as well.
            self.lay_out_again()

    def _show_again(self) -> None:
        """Show the same with another picture."""
        result, cursor, top, sources = self._result, self.cursor, self.scroll_offset.y, set(self._sections.sources)
        self.show(*self._given)
        self._result = result
        for number in sources:
            self._toggle_source(number, 0)
        self.move_to(cursor)
        self.scroll_to(y=top, animate=False, immediate=True)

    def show_run(self, kind: OfferKind, run: CallRun) -> None:
        self._before = []
        self.show(*run_sections(kind, run))
        self._result = run.result

    def show_linked(self, result: dict[str, Any]) -> None:
        """Show the resource of a link; escape goes back."""
        self._before.append((self._given, self._result, self.cursor))
        self.show(*resource_sections(result))
        self._result = result

    def action_select(self) -> None:
        """Follow the link under the cursor, else fold or unfold."""
        item = None if self.section is None else self.section.item
        if item is not None and item.get("type") == "resource_link":
            self.post_message(self.LinkFollowed(self, text_in(item, "uri")))
        else:
            super().action_select()

    def action_close_search(self) -> None:
        """Close the search, or go back from the resource of a link."""
        if self._search.is_open or not self._before:
            super().action_close_search()
            return
        sections, result, cursor = self._before.pop()
        self.show(*sections)
        self._result = result
        self.move_to(cursor)

    def action_use_content(self, action: Literal["save", "view"]) -> None:
        """Save or open the content under the cursor: the item of the result, else the text."""
        if (section := self.section) is None:
            raise SkipAction
        content = None if section.item is None else content_of_item(section.item)
        if content is None:
            content = SavedContent("result.txt", section.document.pretty().encode("utf-8", "backslashreplace"))
        self.post_message(self.ContentChosen(content, action))
