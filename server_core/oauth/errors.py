"""The exceptions of OAuth.

No message may hold a token, a code or a secret; texts of servers are cut to one short line.
"""

from collections.abc import Mapping
from typing import Any

from server_core.errors import MessageFailed

LONGEST_LINE = 200


class AuthorizationFailed(MessageFailed):
    """The authorization that a server requires cannot be obtained; the message explains why, and what to do."""


class TokenRefused(AuthorizationFailed):
    """An authorization server responded with an OAuth error; `code` is its `error`, such as `invalid_grant`."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def explain_error(members: Mapping[str, Any]) -> str:
    """Return the error in an OAuth response and its description as one line; empty when there is none."""
    return ": ".join(filter(None, (short_line(members.get(name)) for name in ("error", "error_description"))))


def short_line(text: object) -> str:
    """Return a server's text as one short line; empty when it is not a string."""
    return " ".join(text.split())[:LONGEST_LINE] if isinstance(text, str) else ""
