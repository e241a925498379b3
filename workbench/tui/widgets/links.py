"""Numbers of messages and runs that lead to them: a click on "#4" shows what it names."""

import re

from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from workbench.tui.widgets.paint import highlighted

_NUMBER = re.compile(r"(?P<run>[Rr]un )?#(?P<number>\d{1,18})\b")


class MessageLinked(Message):
    """The user wants to see a message, by its number, in the Inspector."""

    def __init__(self, seq: int) -> None:
        super().__init__()
        self.seq = seq


class RunLinked(Message):
    """The user wants to see a run, by its number, with its result."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def with_link(strip: Strip, start: int, end: int, action: str) -> Strip:
    """Return a strip in which a click on the characters from `start` to `end` performs an action."""
    return highlighted(strip, start, end, Style(underline=True, meta={"@click": action}))


def with_links(strip: Strip, *, of_runs: bool = False) -> Strip:
    """Return our own text with links of "#4" and "run #4", or all numbers with `of_runs`, for actions of `Lines`."""
    for match in _NUMBER.finditer(strip.text):
        action = "go_to_run" if of_runs or match["run"] else "go_to_message"
        strip = with_link(strip, match.start("number") - 1, match.end(), f"{action}({match['number']})")
    return strip


def is_on_link(event: events.Click) -> bool:
    """Whether a click is on a link, whose action Textual performs."""
    return "@click" in event.style.meta
