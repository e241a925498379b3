"""How keys reach what they are for: pastes that come as keys, and what is typed ahead of a focus that moves."""

from weakref import WeakKeyDictionary

from textual import events
from textual.timer import Timer
from textual.widget import Widget

from workbench.model.bursts import BURST_S, Key, LineFeeds, Step
from workbench.tui.failures import FailingApp
from workbench.tui.pane import Pane


def takes_text(focused: Widget | None) -> bool:
    """Whether letters are text where the focus is, and no commands."""
    return focused is not None and any(
        isinstance(one, Widget) and one.check_consume_key("a", "a") for one in focused.ancestors_with_self
    )


class TypingApp(FailingApp):
    """An app that takes keys in the order in which they were typed, however fast that was."""

    def __init__(self) -> None:
        super().__init__()
        self._receivers: WeakKeyDictionary[events.Key, Widget | None] = WeakKeyDictionary()
        """What had the focus when a key was pressed."""
        self._line_feeds = LineFeeds()
        self._burst: Timer | None = None

    async def on_event(self, event: events.Event) -> None:
        """Hold `ctrl+j` while it may be a line feed of a paste, and remember whom the other keys are for."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
            return
        if self._burst is not None:
            self._burst.stop()
        for step in self._line_feeds.take(self._kind(event), event.time):
            await self._do(step, event)
        if self._line_feeds.is_holding:
            self._burst = self.set_timer(BURST_S, self._end_burst)

    async def on_key(self, event: events.Key) -> None:
        """Hand a key that nobody took to what has got the focus since: it was typed ahead, and is no command here."""
        if (focused := self.focused) is None or self._receivers.get(event, focused) is focused:
            return
        event.prevent_default()
        again = events.Key(event.key, event.character)
        self._receivers[again] = focused
        if not await self._check_bindings(event.key, priority=True):
            focused._forward_event(again)

    def _kind(self, event: events.Key) -> Key:
        if event.is_printable or event.key == "enter":
            return Key.TEXT
        if event.key == "ctrl+j" and takes_text(self.focused) and self._is_in_a_pane():
            return Key.LINE_FEED
        return Key.OTHER

    def _is_in_a_pane(self) -> bool:
        """Whether the focus is where `ctrl+j` sends something; dialogs have no such key."""
        return self.focused is not None and any(isinstance(one, Pane) for one in self.focused.ancestors)

    async def _end_burst(self) -> None:
        for step in self._line_feeds.end():
            await self._do(step, None)

    async def _do(self, step: Step, event: events.Key | None) -> None:
        match step:
            case Step.NEW_LINE:
                self._write_new_line()
            case Step.SEND:
                await self._deliver(events.Key("ctrl+j", None))
            case Step.PASS if event is not None:
                await self._deliver(event)

    async def _deliver(self, event: events.Key) -> None:
        self._receivers[event] = self.focused
        await super().on_event(event)

    def _write_new_line(self) -> None:
        from workbench.tui.widgets.form.keys import new_line_key

        if (focused := self.focused) is not None:
            key = new_line_key(focused)
            self._receivers[key] = focused
            # Past the bindings of `enter`: it leads from field to field.
            focused._forward_event(key)
