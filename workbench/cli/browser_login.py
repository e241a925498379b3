"""Ask the user at the terminal to authorize the workbench with a server."""

import sys
from typing import TYPE_CHECKING

from workbench.cli import console
from workbench.cli.line_prompts import Asker
from workbench.client.session import HANDSHAKE_SECONDS

if TYPE_CHECKING:
    from server_core.oauth.grants import UserConsent


def consent() -> "UserConsent | None":
    """Return the way to ask the user for consent; None when stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None
    from server_core.oauth import redirect_uri_from
    from server_core.oauth.browser import Browser

    return Browser(console.write, _agrees, redirect_uri_from())


def first_response_timeout(asked: "UserConsent | None") -> float:
    """Return the timeout in seconds for the first response of a server, with time for a login in the browser.

    Args:
        asked: what :func:`consent` returned.
    """
    if asked is None:
        return HANDSHAKE_SECONDS
    from server_core.oauth.browser import AUTHORIZATION_SECONDS

    return HANDSHAKE_SECONDS + AUTHORIZATION_SECONDS


async def _agrees(url: str) -> bool:
    async with Asker.at_terminal() as asker:
        return asker is not None and await asker.agrees("Open it in the browser now? [y/N]")
