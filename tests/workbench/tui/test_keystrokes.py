"""Delivery of keys."""

from textual import events
from textual._xterm_parser import XTermParser

from workbench.model.bursts import Arrival
from workbench.tui.keystrokes import learn_sequences
from workbench.tui.read_keys import LINE_FEED, RunParser, arrival_of


def test_escape_and_return_together_are_alt_enter() -> None:
    learn_sequences()
    keys = [event.key for event in XTermParser().feed("a\x1b\rb\r") if isinstance(event, events.Key)]
    assert keys == ["a", "alt+enter", "b", "enter"]


def test_escape_and_the_key_of_an_action_are_that_key_with_alt() -> None:
    learn_sequences()
    typed = "\x1b1\x1b6\x1bd\x1bo\x1b[1;3D\x1b[1;3C1"
    keys = [event.key for event in XTermParser().feed(typed) if isinstance(event, events.Key)]
    assert keys == ["alt+1", "alt+6", "alt+d", "alt+o", "alt+left", "alt+right", "1"]


def test_a_line_feed_in_the_midst_of_keys_that_are_read_at_once_may_be_text() -> None:
    parser = RunParser()
    for data, arrival in (
        ("\n", Arrival.PRESSED),
        ("5\n", Arrival.PRESSED),
        ("5\n6\n", Arrival.UNCLEAR),
        ("one line\n" * 5, Arrival.PASTED),
        ("\x1b[5n6\n\x1b[B6", Arrival.PRESSED),
    ):
        keys = [event for event in parser.feed(data) if isinstance(event, events.Key)]
        assert arrival_of(next(key for key in keys if key.key == LINE_FEED)) is arrival, data


def test_a_key_that_kitty_reports_is_pressed() -> None:
    keys = [event for event in RunParser().feed("\x1b[53;;53u\x1b[106;5u\x1b[54;;54u") if isinstance(event, events.Key)]
    assert [key.key for key in keys] == ["5", LINE_FEED, "6"]
    assert {arrival_of(key) for key in keys} == {Arrival.PRESSED}
