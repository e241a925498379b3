"""Delivery of keys."""

from textual import events
from textual._xterm_parser import XTermParser

from workbench.tui.keystrokes import learn_sequences


def test_escape_and_return_together_are_alt_enter() -> None:
    learn_sequences()
    keys = [event.key for event in XTermParser().feed("a\x1b\rb\r") if isinstance(event, events.Key)]
    assert keys == ["a", "alt+enter", "b", "enter"]
