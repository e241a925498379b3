"""URLs that a user is asked to visit: shown in full with their host, and opened only by a key of the user.

Source: client/elicitation, URL mode: show the full URL and its domain, and never open it without consent.
"""

import os
import sys
import webbrowser
from urllib.parse import SplitResult, urlsplit

from textual.content import Content

from workbench.model.short_text import escaped
from workbench.tui.colours import KEY, MUTED, STRONG, WARN

_HERE = ("127.0.0.1", "localhost", "::1")
"""The names of this machine; requests to it do not leave it."""


def url_text(url: str) -> Content:
    """Return a URL in full, with its host on a separate row, and warnings about it."""
    split = _split(url)
    host = "" if split is None else split.netloc
    parts = [("URL      ", MUTED), (escaped(url), STRONG), ("\n", "")]
    parts += [("host     ", MUTED), (escaped(host) or "none", KEY)]
    parts += [(f"\n! {caution}", WARN) for caution in cautions(url)]
    return Content.assemble(*parts)


def cautions(url: str) -> list[str]:
    """Return the warnings about a URL that a user should read before visiting it."""
    if (split := _split(url)) is None:
        return ["This is not a URL."]
    host = split.hostname or ""
    warnings = []
    if split.scheme != "https" and not (split.scheme == "http" and host in _HERE):
        warnings.append("not https: others can read and change what is sent")
    if "xn--" in host or not host.isascii():
        warnings.append("the host has letters that may look like others")
    if split.username is not None:
        warnings.append("the part before the @ is not the host")
    return warnings


def opened(url: str) -> str:
    """Open a URL in the browser and return ""; if it was not opened, return the reason."""
    if (split := _split(url)) is None or split.scheme not in ("http", "https"):
        return "Only http and https URLs are opened. Copy it if you trust it (y)."
    if sys.platform == "linux" and not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")):
        return "There is no graphical browser here. Copy the URL instead (y)."
    webbrowser.open(url)
    return ""


def _split(url: str) -> SplitResult | None:
    """The parts of a URL; None if it is not a URL."""
    try:
        return urlsplit(url)
    except ValueError:
        return None
