"""The responses of the mock service: JSON, and pages of plain HTML without scripts; values from outside are escaped."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from server_core.oauth.loopback import LoopbackResponse

_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
}

_PAGE = """<!doctype html>
<html lang="en"><head><title>Mock service</title>
<style>body{{font:16px system-ui,sans-serif;max-width:34em;margin:4em auto;padding:0 1em}}
label{{display:block;margin:.4em 0}}button{{font:inherit;padding:.4em 1.4em;margin:1em .6em 0 0}}</style></head>
<body><h1>Mock service</h1>
<p>This page is served by your machine. It replaces a real service and contacts no other.</p>
{body}</body></html>"""


def consent(name: str, ticket: str, scopes: Sequence[str], person: str, lifetime: float) -> LoopbackResponse:
    """Return the consent page of a request, on which the user can clear scopes and change the defaults."""
    boxes = "".join(
        f'<label><input type="checkbox" name="scope" value="{escape(scope)}" checked> {escape(scope)}</label>'
        for scope in scopes
    )
    return _page(
        200,
        f"""<p>Your tools request access to your account with <b>{escape(name)}</b>.</p>
<form method="post" action="/decide"><input type="hidden" name="ticket" value="{escape(ticket)}">
{boxes or "<p>They request no scopes.</p>"}
<label>Your user name: <input name="person" value="{escape(person)}"></label>
<label>Lifetime of the token (seconds): <input name="lifetime" value="{lifetime:g}"></label>
<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>""",
    )


def device(code: str = "") -> LoopbackResponse:
    """Return the page on which a user enters the code of a device flow."""
    return _page(
        200,
        f"""<form method="get" action="/device"><label>The code on your device:
<input name="user_code" value="{escape(code)}"></label><button>Continue</button></form>""",
    )


def message(status: int, text: str) -> LoopbackResponse:
    return _page(status, f"<p>{escape(text)}</p>")


def json_response(status: int, value: Any) -> LoopbackResponse:
    return LoopbackResponse(status, json.dumps(value), "application/json")


def refusal(error: str, description: str = "") -> LoopbackResponse:
    """Return an error response of an OAuth endpoint."""
    return json_response(400, {"error": error} | ({"error_description": description} if description else {}))


def _page(status: int, body: str) -> LoopbackResponse:
    return LoopbackResponse(status, _PAGE.format(body=body), "text/html", _HEADERS)
