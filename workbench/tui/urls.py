"""Addresses that a person is to visit: told in full with their host, and opened by the person's own key alone.

Source: client/elicitation, URL mode: show the full address and its domain, and never open it without consent.
"""

import os
import sys
import webbrowser
from urllib.parse import SplitResult, urlsplit

from textual.content import Content

from workbench.model.short_text import escaped
from workbench.tui.colours import KEY, MUTED, STRONG, WARN

_HERE = ("127.0.0.1", "localhost", "::1")
"""The names of this machine, which nothing has to be sent from."""


def address_text(url: str) -> Content:
    """Return an address in full, with its host on a row of its own, and what to know about it."""
    split = _split(url)
    host = "" if split is None else split.netloc
    parts = [("address  ", MUTED), (escaped(url), STRONG), ("\n", "")]
    parts += [("host     ", MUTED), (escaped(host) or "none", KEY)]
    parts += [(f"\n! {caution}", WARN) for caution in cautions(url)]
    return Content.assemble(*parts)


def cautions(url: str) -> list[str]:
    """Return what a person should know about an address before visiting it."""
    if (split := _split(url)) is None:
        return ["This is no address."]
    host = split.hostname or ""
    told = []
    if split.scheme != "https" and not (split.scheme == "http" and host in _HERE):
        told.append("not https: others can read and change what is sent")
    if "xn--" in host or not host.isascii():
        told.append("the host has letters that may look like others")
    if split.username is not None:
        told.append("what stands before the @ is no host")
    return told


def opened(url: str) -> str:
    """Open an address in the browser, and return why that was not done; empty when it was."""
    if (split := _split(url)) is None or split.scheme not in ("http", "https"):
        return "Only http and https addresses are opened. Copy it if you trust it (y)."
    if sys.platform == "linux" and not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")):
        return "There is no graphical browser here. Copy the address instead (y)."
    webbrowser.open(url)
    return ""


def _split(url: str) -> SplitResult | None:
    """The parts of an address; None of what is none."""
    try:
        return urlsplit(url)
    except ValueError:
        return None
