"""Links of results: resources are read, and web pages opened only after a question that shows the whole URL."""

from typing import TYPE_CHECKING, Any, Literal

from textual.app import App

from workbench.model.notices import CLIPBOARD, UNAVAILABLE
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.url_opening import open_url, url_warnings

if TYPE_CHECKING:
    from workbench.tui.pane import Pane
    from workbench.tui.widgets.result import ResultView

_CHOICES = (
    Choice("open", "o", "Open it in the browser"),
    Choice("copy", "y", "Copy it"),
    Choice("read", "r", "Read it from the server", "as a resource with this URI"),
)


async def follow(pane: "Pane", view: "ResultView", uri: str) -> None:
    """Read the resource of a link, and show it in the place of the result; ask first what to do with a web page."""
    if _is_web_link(uri) and await _choose(pane.app, uri) == "done":
        return
    if (session := pane.workspace.session) is None:
        pane.notify("Not connected to the core.", title=pane.attempts_topic, severity="error", markup=False)
        return
    shown = view.section
    result = await pane.result_of(session.read_resource(uri))
    # Another result may be shown by now.
    if result is not None and view.is_attached and view.section is shown:
        view.show_linked(result)


def _is_web_link(uri: str) -> bool:
    return uri.startswith(("https://", "http://"))


async def _choose(app: App[Any], url: str) -> Literal["read", "done"]:
    """Ask what to do with a link, and do it; "read" if the server is to be asked for it."""
    text = "\n".join([url, *(f"! {warning}" for warning in url_warnings(url))])
    choice = await app.push_screen_wait(ChoiceScreen("A link to a web page", text, _CHOICES))
    if choice == "read":
        return "read"
    if choice == "copy":
        app.copy_to_clipboard(url)
        app.notify("The URL is in the clipboard.", title=CLIPBOARD, markup=False)
    elif choice == "open" and (reason := open_url(url)):
        app.notify(reason, title=UNAVAILABLE, severity="warning", markup=False)
    return "done"
