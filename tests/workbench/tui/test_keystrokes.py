"""Delivery of keys."""

from textual import events
from textual._xterm_parser import XTermParser

from workbench.tui.keystrokes import learn_sequences


def test_escape_and_return_together_are_alt_enter() -> None:
    learn_sequences()
    keys = [event.key for event in XTermParser().feed("a\x1b\rb\r") if isinstance(event, events.Key)]
    assert keys == ["a", "alt+enter", "b", "enter"]


def test_escape_and_the_key_of_an_action_are_that_key_with_alt() -> None:
    learn_sequences()
    typed = "\x1b1\x1b6\x1bd\x1bo\x1b[1;3D\x1b[1;3C1"
    keys = [event.key for event in XTermParser().feed(typed) if isinstance(event, events.Key)]
    assert keys == ["alt+1", "alt+6", "alt+d", "alt+o", "alt+left", "alt+right", "1"]
