"""The notices of the terminal: a line of their own above the footer, instead of boxes over the content.

`notify` of the app, and of every widget, adds a notice. Its `title` is the topic: a later notice on the same topic
replaces it, and :func:`withdraw` ends it.
"""

import time
from typing import Any

from textual import events
from textual.app import App
from textual.content import Content
from textual.timer import Timer

from workbench.model.notices import Notices, Severity
from workbench.tui.frame import Frame
from workbench.tui.keystrokes import KeyOrderApp

SERVER = "server"
"""The topic of the loss of a relayed server, and of its return."""


class NoticeApp(KeyOrderApp):
    """An app with notices."""

    def __init__(self) -> None:
        super().__init__()
        self.notices = Notices(time.time)
        # Runs until the notice that is shown ends, or becomes brief.
        self._notice_timer: Timer | None = None

    def get_default_screen(self) -> Frame:
        return Frame(id="_default")

    def show_notice(self) -> None:
        """Show the current notice, or that there is none."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Severity = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Add a notice; the title is its topic."""
        text = Content.from_markup(message).plain if markup else message
        self.notices.add(text, severity, topic=title, seconds=timeout)
        self.notices_changed()

    def withdraw(self, topic: str) -> None:
        """End the notice on a topic: its cause has ended."""
        if self.notices.withdraw(topic):
            self.notices_changed()

    async def on_event(self, event: events.Event) -> None:
        # Esc also does what it does elsewhere; in a dialog it only closes that.
        is_escape = isinstance(event, events.Key) and event.key == "escape" and not event.is_forwarded
        if is_escape and len(self.screen_stack) == 1 and self.notices.dismiss():
            self.notices_changed()
        await super().on_event(event)

    def notices_changed(self) -> None:
        """Show the notice that is now the current one, for as long as it is."""
        if self._notice_timer is not None:
            self._notice_timer.stop()
            self._notice_timer = None
        notice, now = self.notices.current, time.time()
        if notice is not None and (change := notice.next_change(now)) is not None:
            self._notice_timer = self.set_timer(max(0.01, change - now), self.notices_changed)
        self.show_notice()


def withdraw(app: App[Any], topic: str) -> None:
    """End the notice on a topic, if the app has notices."""
    if isinstance(app, NoticeApp):
        app.withdraw(topic)
