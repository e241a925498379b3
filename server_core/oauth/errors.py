"""The exceptions of OAuth.

No message may hold a token, a code or a secret; texts of servers are cut to one short line.
"""

from server_core.errors import MessageFailed

LONGEST_REMARK = 200


class AuthorizationFailed(MessageFailed):
    """The authorization that a server requires cannot be obtained; the message explains why, and what to do."""


class TokenRefused(AuthorizationFailed):
    """An authorization server responded with an OAuth error.

    Args:
        message: what happened.
        code: the `error` of the response, such as `invalid_grant`.
    """

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def remark(text: object) -> str:
    """Return a server's text as one short line; empty when it is not a string."""
    return " ".join(text.split())[:LONGEST_REMARK] if isinstance(text, str) else ""
