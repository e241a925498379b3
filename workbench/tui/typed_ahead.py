"""The queue of keys: each is delivered once the widget that it was typed for can use it, in the order of typing.

Keys wait

1. until the pane in front can use them, at the start;
2. behind a command: it may move the focus, or open or close a dialog;
3. as commands, behind text that the focused widget may not have handled yet;
4. while the widget that is to get the focus is being made.
"""

from collections import deque
from typing import Protocol, runtime_checkable

from textual import events
from textual.timer import Timer

from workbench.tui.action_calls import after_messages
from workbench.tui.actions import ACTIONS, EVERYWHERE, find_action
from workbench.tui.key_bindings import keys_while_writing
from workbench.tui.keystrokes import accepts_text
from workbench.tui.notice_app import NoticeApp
from workbench.tui.read_keys import LINE_FEED

MAX_WAITING = 500
"""The number of keys that wait for a pane; later ones are dropped."""
_TOPIC = "waiting keys"
# After how many seconds the user is shown why keys do nothing yet.
_PATIENCE_S = 1.0
# After how many seconds a key no longer waits for another, whose widget may be gone: longer than a busy machine takes.
_HANDLING_S = 10.0
# These actions need no pane, or show another.
_AT_ONCE = ("help", "palette", "quit", "restart", "show_")


@runtime_checkable
class FocusHolder(Protocol):
    """A widget that has the focus until another is made, which the keys are for."""

    @property
    def is_moving_focus(self) -> bool:
        """Whether the focus is about to go to the other widget."""


class TypedAheadApp(NoticeApp):
    """An app that delivers each key to the widget that it was typed for."""

    is_reopened = False
    """Whether it continues a terminal that has failed."""
    is_leaving = False
    """Whether the user has chosen to quit, so that the end of the connection is no loss."""

    def __init__(self) -> None:
        super().__init__()
        self.has_typed_ahead = False
        """Whether the user has typed or clicked before the first pane was ready: nothing is restored over that."""
        self._waiting: deque[events.Key | events.Paste] = deque()
        # Whether a delivered command may still move the focus.
        self._is_handling = False
        # Whether text was delivered since, which the focused widget may not have handled yet.
        self._has_text_before = False
        # Runs while keys wait behind another, or for the focus.
        self._limit: Timer | None = None
        # These act even if others wait.
        self._keys_to_quit = keys_while_writing(find_action("quit", EVERYWHERE))
        self._keys_at_once = {
            key
            for action in ACTIONS
            if action.place == EVERYWHERE and action.id.startswith(_AT_ONCE)
            for key in action.key_names
        }

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._focus_moved, init=False)

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
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded or self._quits(event):
            await super().on_event(event)
        elif self._is_busy:
            self._waiting.append(event)
            if self._limit is None:
                self._limit_waiting()
        else:
            await self._take(event)

    def deliver_waiting(self) -> None:
        """Deliver the keys that wait, if the pane in front is ready now."""
        if not self._waiting or self._is_busy or not self.is_pane_ready:
            return
        self.withdraw(_TOPIC)
        if self._has_dialog:
            self.drop_waiting()
        else:
            self._await_handling()

    def drop_waiting(self) -> None:
        self._waiting.clear()
        self.withdraw(_TOPIC)

    async def _take(self, event: events.Key | events.Paste) -> None:
        """Deliver a key, or keep it until a pane is ready."""
        if self._has_dialog:
            self.drop_waiting()  # The dialog has opened by itself: they were not typed for it.
        is_usable = self._is_usable(event) and (self.is_pane_ready or not self._waiting)
        if is_usable:
            self._waiting.append(event)
            await self._deliver_next()
        else:
            self._keep_for_pane(event)

    async def _deliver_next(self, *, is_late: bool = False) -> None:
        """Deliver the keys that wait, up to one that the others have to wait for.

        Args:
            is_late: whether the first of them has waited too long for the focus.
        """
        while self._waiting and not self._is_handling and (is_late or not self._is_focus_moving):
            event = self._waiting[0]
            is_text, is_late = self._is_text(event), False
            if not self._is_usable(event):
                return
            if not is_text and self._has_text_before:
                self._await_handling()
            else:
                self._waiting.popleft()
                await super().on_event(event)
                self._has_text_before = self._has_text_before or is_text
                if not is_text and not self.is_leaving:
                    self._await_handling()
        self._limit_waiting()

    def _await_handling(self) -> None:
        """Deliver no key until the widgets have handled those before."""
        self._is_handling, self._has_text_before = True, False
        # A command may post a message, and start a worker that opens a dialog.
        self._pass_messages(times=2)

    def _pass_messages(self, times: int) -> None:
        """Wait behind the messages of the focused widget, some times in the same screen, and go on with the keys."""
        screen = self.screen

        async def passed() -> None:
            if self.is_leaving or not self._is_handling:
                return
            if screen not in self.screen_stack and screen.is_running:
                # Who waits for the answer of the dialog may open another, once this one is removed.
                self.call_later(passed)
            elif self.screen is not screen:
                self._pass_messages(times)
            elif times > 1:
                self._pass_messages(times - 1)
            else:
                self._is_handling = False
                await self._deliver_next()

        after_messages(self.focused or screen, self, passed)

    def _focus_moved(self) -> None:
        if self._waiting and not self._is_busy:
            self._await_handling()

    def _limit_waiting(self) -> None:
        """Deliver the next key after some time in any case."""
        if self._limit is not None:
            self._limit.stop()
        self._limit = self.set_timer(_HANDLING_S, self._stop_waiting) if self._waiting else None

    async def _stop_waiting(self) -> None:
        self._limit = None
        self._is_handling = False
        await self._deliver_next(is_late=True)

    @property
    def _has_dialog(self) -> bool:
        return len(self.screen_stack) > 1

    @property
    def _is_busy(self) -> bool:
        """Whether keys wait behind another, or for the focus."""
        return self._is_handling or self._is_focus_moving

    @property
    def _is_focus_moving(self) -> bool:
        return isinstance(focused := self.focused, FocusHolder) and focused.is_moving_focus

    def _quits(self, event: events.Key | events.Paste) -> bool:
        return isinstance(event, events.Key) and event.key in self._keys_to_quit

    def _is_usable(self, event: events.Key | events.Paste) -> bool:
        """Whether there is something that a key can act on."""
        is_at_once = isinstance(event, events.Key) and event.key in self._keys_at_once
        return self._has_dialog or self.is_pane_ready or is_at_once

    def _is_text(self, event: events.Key | events.Paste) -> bool:
        """Whether a key only writes text into the focused widget."""
        if isinstance(event, events.Paste):
            return True
        if event.key == LINE_FEED:
            return accepts_text(self.focused) and not self.sends(event)
        focused = self.focused
        is_character = event.is_printable and not event.key.startswith("alt+")
        return is_character and focused is not None and focused.check_consume_key(event.key, event.character)

    def _keep_for_pane(self, event: events.Key | events.Paste) -> None:
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
