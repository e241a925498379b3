"""The definition of an offer: what a model and a client see of it."""

from collections.abc import Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Markdown, Static

from workbench.model.catalog import Offer, OfferKind
from workbench.model.definitions.change import DefinitionChange
from workbench.model.short_text import escaped_lines
from workbench.tui.widgets.definition_texts import (
    changes_content,
    facts_content,
    findings_content,
    json_sections,
    parameters_content,
)
from workbench.tui.widgets.json_view import JsonView
from workbench.tui.widgets.panels import KeyScroll
from workbench.workspace.definition_checks import checked

# Characters of a description that are shown as Markdown, which is a widget for each paragraph.
_MAX_MARKDOWN = 20_000
_PARTS = {
    OfferKind.TOOL: "tools",
    OfferKind.RESOURCE: "resources",
    OfferKind.TEMPLATE: "templates",
    OfferKind.PROMPT: "prompts",
}


class DefinitionView(KeyScroll):
    """What changed, the description, the parameters, the findings and the schemas, one below the other."""

    DEFAULT_CSS = """
    DefinitionView {
        padding: 0 1;
        scrollbar-size-vertical: 1;
        & > Static { height: auto; margin-top: 1; }
        & > Markdown { height: auto; margin: 1 0 0 0; padding: 0; }
        & > JsonView { height: auto; margin-top: 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_complete = False
        """Whether all parts of the definition are shown: the description and the findings come a moment later."""

    def compose(self) -> ComposeResult:
        yield Static(id="changes", markup=False)
        yield Static(id="facts", markup=False)
        yield Markdown(open_links=False)
        yield Static(id="parameters", markup=False)
        yield Static(id="findings", markup=False)
        yield DefinitionJson()

    @work(exclusive=True, group="definition")
    async def show_offer(self, offer: Offer, changes: Sequence[DefinitionChange]) -> None:
        """Show another definition from the top."""
        self.is_complete = False
        self._show_text("#changes", changes_content(changes))
        self._show_text("#facts", facts_content(offer))
        self._show_text("#parameters", parameters_content(offer))
        self._show_text("#findings", Content(""))
        self.query_one(DefinitionJson).show(*json_sections(offer.definition))
        self.scroll_home(animate=False)
        await self.query_one(Markdown).update(_markdown(offer.description))
        report = await checked({_PARTS[offer.kind]: [offer.definition]})
        self._show_text("#findings", findings_content(report.findings))
        self.is_complete = True

    def _show_text(self, selector: str, text: Content) -> None:
        static = self.query_one(selector, Static)
        static.display = bool(text)
        static.update(text)

    @on(Markdown.LinkClicked)
    def _link_clicked(self, event: Markdown.LinkClicked) -> None:
        # A link of a server is shown, and not opened.
        event.stop()
        self.notify(f"The description links to {event.href}", title="link", markup=False)


class DefinitionJson(JsonView, can_focus=False):
    """The schemas, as long as they are: the whole definition scrolls."""


def _markdown(description: str) -> str:
    if len(description) <= _MAX_MARKDOWN:
        return escaped_lines(description) or "*No description.*"
    more = f"{len(description) - _MAX_MARKDOWN:,}"
    return f"{escaped_lines(description[:_MAX_MARKDOWN])}\n\n*and {more} more characters*"
