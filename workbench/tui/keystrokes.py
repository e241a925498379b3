"""Delivery of keys: escape sequences, pastes that arrive as keys, keys typed ahead, and the focus that they need."""

from collections.abc import Callable
from string import ascii_lowercase, digits
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, cast
from weakref import WeakKeyDictionary

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.signal import Signal
from textual.widget import Widget

from workbench.model.bursts import BurstKey, LineFeeds, Step
from workbench.tui.pane import Pane
from workbench.tui.read_keys import LINE_FEED, arrival_of, mark_runs, role_of
from workbench.tui.terminal_failures import FailureReportApp

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

_REFUSED = "refused line feed"
"""The topic of the notice about line feeds that may not be meant as keys."""

# What follows ESC for some keys pressed with alt.
_WITH_ALT = {
    # Textual reads ESC b and ESC f as the keys for words.
    **{character: character for character in ascii_lowercase + digits if character not in "bf"},
    "enter": "\r",
    "up": "[1;3A",
    "down": "[1;3B",
    "right": "[1;3C",
    "left": "[1;3D",
}


def learn_sequences() -> None:
    """Read ESC and a key as that key with alt, as most terminals send it: any of them may be the key of an action.

    Textual would read ESC CR as enter, an arrow as esc and the arrow, and a digit or a letter as a character of a Mac's
    keyboard, such as ¡.
    """
    # A private table, since Textual offers no way to add a sequence. Its parser uses only the `value` of an entry,
    # and the enumeration of keys, which it uses there, has none of these keys.
    sequences = cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)
    for key, character in _WITH_ALT.items():
        sequences[f"\x1b{character}"] = (SimpleNamespace(value=f"alt+{key}"),)


def watch_keys(widget: Widget, notify: Callable[[str], None]) -> None:
    """Call a function with the name of each key that is delivered, before the key has any effect."""
    if isinstance(widget.app, KeyOrderApp):
        widget.app.key_pressed.subscribe(widget, notify, immediate=True)


def accepts_text(focused: Widget | None) -> bool:
    """Whether the focused widget reads letters as text rather than commands."""
    return focused is not None and any(
        isinstance(node, Widget) and node.check_consume_key("a", "a") for node in focused.ancestors_with_self
    )


def keep_focus(app: "WorkbenchApp") -> None:
    """Move the focus to the pane in front whenever no widget of the app's current screen has it.

    The focused widget may be hidden or removed at any time: by a reload, a question that is withdrawn, or the end of a
    core. Textual then often leaves no widget focused, and the next keys would run the commands of the pane.
    """
    frame = app.screen

    def check() -> None:
        pane = app.pane
        # While the terminal window is out of focus, Textual remembers the focused widget and restores it later.
        if app.app_focus and frame.focused is None and pane is not None and pane.is_mounted and pane.display:
            pane.take_focus()

    app.watch(frame, "focused", check, init=False)
    app.watch(app, "app_focus", check, init=False)


class KeyOrderApp(FailureReportApp):
    """An app that handles keys in the order in which they were typed, however fast they arrive."""

    # With priority: a field would forward tab only later, and the keys after it would land in that field.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "leave_text(1)", show=False, priority=True),
        Binding("shift+tab", "leave_text(-1)", show=False, priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        learn_sequences()
        # The widget that had the focus when a key was pressed.
        self._receivers: WeakKeyDictionary[events.Key, Widget | None] = WeakKeyDictionary()
        self.key_pressed: Signal[str] = Signal(self, "key pressed")
        self._line_feeds = LineFeeds()

    async def on_event(self, event: events.Event) -> None:
        """Use a line feed as text, as a key or not at all, and remember the receivers of the other keys."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
            return
        if event.key.startswith("alt+"):
            # A terminal sends ESC and the character: without this the character would be typed into a text.
            event.character = None
        for step in self._line_feeds.handle(self._role(event), arrival_of(event), event.time):
            await self._do(step, event)

    async def on_key(self, event: events.Key) -> None:
        """Forward an unhandled key to the widget focused since: it was typed ahead and is not a command here."""
        if (focused := self.focused) is None or self._receivers.get(event, focused) is focused:
            return
        event.prevent_default()
        again = events.Key(event.key, event.character)
        self._receivers[again] = focused
        # As Textual does for a new key: bindings with priority first, then the focused widget. Both methods are
        # private; posting the key to the app instead would queue it behind the keys typed after it.
        if not await self._check_bindings(event.key, priority=True):
            focused._forward_event(again)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # Tab has priority only over keys that are text; elsewhere it is in order without it.
        focused = self.focused
        return action != "leave_text" or (focused is not None and focused.check_consume_key("a", "a"))

    def action_leave_text(self, by: int) -> None:
        if by > 0:
            self.screen.focus_next()
        else:
            self.screen.focus_previous()

    def withdraw(self, topic: str) -> None:
        """End the notice on a topic, in an app with notices."""

    def get_driver_class(self) -> type[Driver]:
        driver = super().get_driver_class()
        mark_runs(driver)
        return driver

    def sends(self, event: events.Key) -> bool:
        """Whether a key is a line feed that sends, and no text."""
        is_line_feed = self._role(event) is BurstKey.LINE_FEED
        return is_line_feed and self._line_feeds.is_key(arrival_of(event), event.time)

    def _role(self, event: events.Key) -> BurstKey:
        role = role_of(event)
        if role is BurstKey.LINE_FEED and not (accepts_text(self.focused) and self._is_in_a_pane()):
            return BurstKey.OTHER
        return role

    def _is_in_a_pane(self) -> bool:
        """Whether the focus is in a pane, where a line feed sends; dialogs have no such key."""
        return self.focused is not None and any(isinstance(node, Pane) for node in self.focused.ancestors)

    async def _do(self, step: Step, event: events.Key) -> None:
        match step:
            case Step.NEW_LINE:
                self._write_new_line()
            case Step.REFUSE:
                refused = self._line_feeds.refused
                text = f"{refused} ^j in a burst {'was' if refused == 1 else 'were'} ignored; press ^j to send."
                self.notify(text, title=_REFUSED, severity="warning", markup=False)
            case Step.PASS:
                if event.key == LINE_FEED:
                    self.withdraw(_REFUSED)
                await self._deliver(event)

    async def _deliver(self, event: events.Key) -> None:
        self._receivers[event] = self.focused
        self.key_pressed.publish(event.key)
        await super().on_event(event)

    def _write_new_line(self) -> None:
        from workbench.tui.widgets.form.editor_keys import new_line_key

        if (focused := self.focused) is not None:
            key = new_line_key(focused)
            self._receivers[key] = focused
            # Bypass the bindings of `enter`, which moves from field to field.
            focused._forward_event(key)
