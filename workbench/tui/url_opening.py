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
from workbench.tui.key_bindings import key_for

OPEN_KEY, COPY_KEY = key_for("open_url", "requests"), key_for("copy_url", "requests")
"""The keys wherever a URL is shown: in the Requests pane and in the dialog of a login."""

# Requests to these hosts do not leave the machine.
_LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


def url_text(url: str) -> Content:
    """Return a URL in full, with its host on a separate row, and warnings about it."""
    split = _split(url)
    host = "" if split is None else split.netloc
    parts = [("URL      ", MUTED), (escaped(url), STRONG), ("\n", "")]
    parts += [("host     ", MUTED), (escaped(host) or "none", KEY)]
    parts += [(f"\n! {warning}", WARN) for warning in url_warnings(url)]
    return Content.assemble(*parts)


def url_warnings(url: str) -> list[str]:
    if (split := _split(url)) is None:
        return ["This is not a URL."]
    host = split.hostname or ""
    warnings = []
    if split.scheme != "https" and not (split.scheme == "http" and host in _LOOPBACK_HOSTS):
        warnings.append("not https: others can read and change what is sent")
    if "xn--" in host or not host.isascii():
        warnings.append("the host has letters that may look like others")
    if split.username is not None:
        warnings.append("the part before the @ is not the host")
    return warnings


def open_url(url: str) -> str:
    """Open a URL in the browser and return ""; if it was not opened, return the reason."""
    if (split := _split(url)) is None or split.scheme not in ("http", "https"):
        return f"Only http and https URLs are opened. Copy it if you trust it ({COPY_KEY})."
    if sys.platform == "linux" and not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")):
        return f"There is no graphical browser here. Copy the URL instead ({COPY_KEY})."
    webbrowser.open(url)
    return ""


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None
