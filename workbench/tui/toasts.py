"""Temporary messages: at most one with the same text, removed when its cause no longer exists."""

from typing import Any

from textual.app import App


def withdraw(app: App[Any], message: str) -> None:
    # Textual's collection of messages is private, and it has no public way to remove a single message.
    for notification in [item for item in app._notifications if item.message == message]:
        app._unnotify(notification)
