"""The messages that are shown for a moment: one of each text, and gone when what they are about has gone.

Textual keeps them in one collection and has no public way to take out a single one.
"""

from typing import Any

from textual.app import App


def withdraw(app: App[Any], message: str) -> None:
    """Remove the messages that have this text, if any are shown.

    Args:
        app: shows them.
        message: their text.
    """
    for shown in [one for one in app._notifications if one.message == message]:
        app._unnotify(shown)
