"""Elicitation in URL mode: an address that a person consents to, or not. Nothing opens it but the person's own key."""

import os
import sys
import webbrowser
from typing import ClassVar
from urllib.parse import urlsplit

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.model.plain import escaped
from workbench.tui.colours import KEY, MUTED, STRONG, WARN
from workbench.tui.widgets.questions.view import QuestionView


class AddressView(QuestionView):
    """An address in full, with its host on a row of its own.

    Source: client/elicitation, URL mode: show the full address and its domain, and never open it without consent.
    """

    TITLE = "An address to visit"
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (
        *QuestionView.BUTTONS,
        ("open_url", "Open o"),
        ("copy_url", "Copy y"),
    )

    DEFAULT_CSS = """
    AddressView {
        & > VerticalScroll { height: auto; max-height: 1fr; margin-top: 1; padding: 0 1; background: $boost; }
        & > VerticalScroll:focus { background: $boost; background-tint: $foreground 5%; }
        & > VerticalScroll > Static { height: auto; }
    }
    """

    @property
    def url(self) -> str:
        """The address."""
        return str(self.question.params.get("url") or "")

    def compose_answer(self) -> ComposeResult:
        """Make the address with what there is to know about it."""
        with VerticalScroll():
            yield Static(_told(self.url), markup=False)

    def accept(self) -> bool:
        """Consent; it is the person who visits the address."""
        return self.question.accept()

    def focus_answer(self) -> None:
        """Go to the address, and to no button: Enter must not consent by accident."""
        self.query_one(VerticalScroll).focus()

    def open_url(self) -> str:
        """Open the address in the browser, and return what was done, or why not."""
        if urlsplit(self.url).scheme not in ("http", "https"):
            return "Only http and https addresses are opened. Copy it if you trust it (y)."
        if sys.platform == "linux" and not any(
            os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
        ):
            return "There is no graphical browser here. Copy the address instead (y)."
        webbrowser.open(self.url)
        return "Opened in the browser. Accept once you agree to what it asks for."


_HERE = ("127.0.0.1", "localhost", "::1")
"""The names of this machine, which nothing has to be sent from."""


def cautions(url: str) -> list[str]:
    """Return what a person should know about an address before visiting it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ["This is no address."]
    told = []
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _HERE):
        told.append("not https: others can read and change what is sent")
    if "xn--" in host or not host.isascii():
        told.append("the host has letters that may look like others")
    if parts.username is not None:
        told.append("what stands before the @ is no host")
    return told


def _told(url: str) -> Content:
    try:
        host = urlsplit(url).netloc
    except ValueError:
        host = ""
    parts = [("address  ", MUTED), (escaped(url), STRONG), ("\n", "")]
    parts += [("host     ", MUTED), (escaped(host) or "none", KEY)]
    parts += [(f"\n! {caution}", WARN) for caution in cautions(url)]
    return Content.assemble(*parts)
