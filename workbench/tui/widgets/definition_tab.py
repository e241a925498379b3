"""The place of a definition among the views of a form: its widgets are made when it is first in front."""

from collections.abc import Sequence

from textual import events
from textual.widget import Widget

from workbench.model.catalog import Offer
from workbench.model.definitions.change import DefinitionChange


class DefinitionTab(Widget, can_focus=True):
    """Shows one definition; the focus is that of the view inside."""

    DEFAULT_CSS = """
    DefinitionTab { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._offer: Offer | None = None
        self._changes: Sequence[DefinitionChange] = ()

    def show_offer(self, offer: Offer, changes: Sequence[DefinitionChange]) -> None:
        self._offer, self._changes = offer, changes
        if self.display:
            self._fill()

    def on_show(self) -> None:
        self._fill()

    def on_focus(self, event: events.Focus) -> None:
        for view in self.children:
            self.screen.set_focus(view)

    def _fill(self) -> None:
        if self._offer is None:
            return
        # Imported when it is first shown: Markdown takes a while.
        from workbench.tui.widgets.definition_view import DefinitionView

        view = self.query(DefinitionView).first() if self.children else None
        if view is None:
            view = DefinitionView()
            self.mount(view)
            if self.has_focus:
                self.call_after_refresh(self.screen.set_focus, view)
        self.call_after_refresh(view.show_offer, self._offer, self._changes)
