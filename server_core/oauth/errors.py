"""Why a server's authorization cannot be had.

No text here may hold a token, a code or a secret; what servers say is cut to one short line.
"""

from server_core.errors import MessageFailed

LONGEST_REMARK = 200


class AuthorizationFailed(MessageFailed):
    """The authorization that a server asks for cannot be had; the message says why, and what to do."""


class TokenRefused(AuthorizationFailed):
    """An authorization server answered with an error of OAuth.

    Args:
        message: what happened.
        code: the `error` of the answer, such as `invalid_grant`.
    """

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def remark(text: object) -> str:
    """Return what a server said as one short line; nothing when it is no text."""
    return " ".join(text.split())[:LONGEST_REMARK] if isinstance(text, str) else ""
