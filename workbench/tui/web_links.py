"""Links of results to web pages: opened in the browser only after a question that shows the whole URL."""

from typing import Any, Literal

from textual.app import App

from workbench.model.notices import CLIPBOARD, UNAVAILABLE
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.url_opening import open_url, url_warnings

_CHOICES = (
    Choice("open", "o", "Open it in the browser"),
    Choice("copy", "y", "Copy it"),
    Choice("read", "r", "Read it from the server", "as a resource with this URI"),
)


def is_web_link(uri: str) -> bool:
    return uri.startswith(("https://", "http://"))


async def choose_for(app: App[Any], url: str) -> Literal["read", "done"]:
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
