"""Temporary messages: at most one with the same text, removed when its cause no longer exists.

Textual stores them in a collection and has no public way to remove a single message.
"""

from typing import Any

from textual.app import App


def withdraw(app: App[Any], message: str) -> None:
    """Remove the messages with this text, if any are shown.

    Args:
        app: the app that shows them.
        message: their text.
    """
    for notification in [item for item in app._notifications if item.message == message]:
        app._unnotify(notification)
