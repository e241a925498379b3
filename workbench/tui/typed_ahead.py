"""Keys typed before the pane in front can use them: they wait, in their order, and act once it can.

Keys that follow a key such as Enter also wait, for a moment: it may move the focus to the widget that they are for.
"""

from collections import deque

from textual import events
from textual.timer import Timer

from workbench.tui.actions import ACTIONS, EVERYWHERE, find_action
from workbench.tui.key_bindings import keys_while_writing
from workbench.tui.keystrokes import LINE_FEED
from workbench.tui.notices import NoticeApp
from workbench.tui.pane import after_messages

MAX_WAITING = 500
"""The number of keys that wait for a pane; later ones are dropped."""
_TOPIC = "waiting keys"
# After how many seconds the user is shown why keys do nothing yet.
_PATIENCE_S = 1.0
# After how many seconds a key no longer waits for another, whose widget may be gone: longer than a busy machine takes.
_HANDLING_S = 10.0
# These actions need no pane, or show another.
_AT_ONCE = ("help", "palette", "quit", "restart", "show_")


class TypedAheadApp(NoticeApp):
    """An app that delivers no key to a pane that is not ready for it."""

    is_reopened = False
    """Whether it continues a terminal that has failed."""
    is_leaving = False
    """Whether the user has chosen to quit, so that the end of the connection is no loss."""

    def __init__(self) -> None:
        super().__init__()
        self.has_typed_ahead = False
        """Whether the user has typed or clicked before the first pane was ready: nothing is restored over that."""
        self._waiting: deque[events.Key | events.Paste] = deque()
        self._is_delivering = False
        # Runs while keys wait for the handling of another.
        self._limit: Timer | None = None
        # These act even if others wait.
        self._keys_to_quit = keys_while_writing(find_action("quit", EVERYWHERE))
        self._keys_at_once = {
            key
            for action in ACTIONS
            if action.place == EVERYWHERE and action.id.startswith(_AT_ONCE)
            for key in action.keys.split(",")
        }

    @property
    def is_pane_ready(self) -> bool:
        """Whether the pane in front can use keys."""
        return True

    async def on_event(self, event: events.Event) -> None:
        # A user may keep typing while the app exits: by then neither the core nor, a little later, the screen exists.
        if self.is_leaving and isinstance(event, events.InputEvent):
            return
        if isinstance(event, events.MouseDown) and not self.is_pane_ready:
            self.has_typed_ahead = True
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._has_to_wait(event):
            self._keep(event)
        else:
            await super().on_event(event)
            self._await_handling(event)

    def deliver_waiting(self) -> None:
        """Deliver the keys that wait, if the pane in front is ready now."""
        if not self._waiting or self._is_delivering or not self.is_pane_ready:
            return
        self.withdraw(_TOPIC)
        if self._has_dialog:
            self.drop_waiting()
        else:
            self._is_delivering = True
            self.call_later(self._deliver_next)

    def drop_waiting(self) -> None:
        self._waiting.clear()
        self.withdraw(_TOPIC)

    async def _deliver_next(self) -> None:
        """Deliver keys up to the next one that may move the focus."""
        if self._limit is not None:
            self._limit.stop()
            self._limit = None
        self._is_delivering = False
        while self._waiting and not self._is_delivering and (self._has_dialog or self.is_pane_ready):
            event = self._waiting.popleft()
            await super().on_event(event)
            self._await_handling(event)

    def _await_handling(self, event: events.Key | events.Paste) -> None:
        """After a key that may move the focus, keep the keys that follow until it has been handled."""
        # A line feed waits in its own way, for the rest of its paste.
        if self.is_leaving or isinstance(event, events.Paste) or event.is_printable or event.key == LINE_FEED:
            return
        focused = self.focused or self.screen
        self._is_delivering = True

        async def handled() -> None:
            # The key has reached its binding; the binding may have posted a message that moves the focus.
            after_messages(focused, self, self._deliver_next)

        after_messages(focused, self, handled)

    @property
    def _has_dialog(self) -> bool:
        return len(self.screen_stack) > 1

    def _has_to_wait(self, event: events.Key | events.Paste) -> bool:
        if isinstance(event, events.Key) and event.key in self._keys_to_quit:
            return False
        if self._is_delivering:
            return True
        if self._has_dialog:
            self.drop_waiting()  # The dialog has opened by itself: they were not typed for it.
        if self._waiting:
            return True
        is_at_once = isinstance(event, events.Key) and event.key in self._keys_at_once
        return not (self._has_dialog or self.is_pane_ready or is_at_once)

    def _keep(self, event: events.Key | events.Paste) -> None:
        if self._is_delivering:
            if self._limit is None:
                self._limit = self.set_timer(_HANDLING_S, self._deliver_next)
            self._waiting.append(event)
            return
        if isinstance(event, events.Key) and event.key == "escape":
            self.drop_waiting()
            return
        if self.is_reopened:
            return  # They were typed in a form, whose text cursor is not restored.
        if isinstance(event, events.Key) and event.key == LINE_FEED:
            # Enter, if it was pressed before the terminal was in raw mode; no tool is open that could be meant to run.
            event = events.Key("enter", "\r")
        if not self._waiting:
            self.has_typed_ahead = True
            self.set_timer(_PATIENCE_S, self._explain)
        if len(self._waiting) < MAX_WAITING:
            self._waiting.append(event)

    def _explain(self) -> None:
        if self._waiting and not self.is_pane_ready:
            self.notify("Your keys wait for the tools to load; esc drops them.", title=_TOPIC, markup=False)
