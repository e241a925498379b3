"""The pages of the mock service: plain HTML without scripts; values from outside are escaped."""

from collections.abc import Mapping, Sequence
from html import escape

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
}
HEADERS: Mapping[str, str] = _HEADERS

_PAGE = """<!doctype html>
<html lang="en"><head><title>Mock service</title>
<style>body{{font:16px system-ui,sans-serif;max-width:34em;margin:4em auto;padding:0 1em}}
label{{display:block;margin:.4em 0}}button{{font:inherit;padding:.4em 1.4em;margin:1em .6em 0 0}}</style></head>
<body><h1>Mock service</h1>
<p>This page is served by your machine. It replaces a real service and contacts no other.</p>
{body}</body></html>"""


def consent(name: str, ticket: str, scopes: Sequence[str], person: str, lifetime: float) -> str:
    """Return the consent page.

    Args:
        name: the service that is replaced.
        ticket: the id of the request.
        scopes: the requested scopes; the user can clear each of them.
        person: the default for the user's name.
        lifetime: the default for the lifetime of the token, in seconds.
    """
    boxes = "".join(
        f'<label><input type="checkbox" name="scope" value="{escape(scope)}" checked> {escape(scope)}</label>'
        for scope in scopes
    )
    return _PAGE.format(
        body=f"""<p>Your tools request access to your account with <b>{escape(name)}</b>.</p>
<form method="post" action="/decide"><input type="hidden" name="ticket" value="{escape(ticket)}">
{boxes or "<p>They request no scopes.</p>"}
<label>Your user name: <input name="person" value="{escape(person)}"></label>
<label>Lifetime of the token (seconds): <input name="lifetime" value="{lifetime:g}"></label>
<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>"""
    )


def device(code: str = "") -> str:
    """Return the page on which a user enters the code of a device flow."""
    return _PAGE.format(
        body=f"""<form method="get" action="/device"><label>The code on your device:
<input name="user_code" value="{escape(code)}"></label><button>Continue</button></form>"""
    )


def message_page(text: str) -> str:
    """Return a page with a message."""
    return _PAGE.format(body=f"<p>{escape(text)}</p>")
