"""Which errors end the terminal: those of what is on the screen, and not those of what has been taken off."""

import pytest
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from workbench.tui.failures import FailingApp


class Looking(Widget):
    """A widget that looks for what it does not have."""

    def look(self) -> None:
        self.query_one("#nothing")

    def divide(self) -> None:
        raise ZeroDivisionError


async def test_what_was_taken_off_the_screen_may_miss_what_it_had() -> None:
    app = FailingApp()
    async with app.run_test() as pilot:
        widget, screen = Looking(), Screen[None]()
        await app.mount(widget)
        await app.push_screen(screen)
        below = Looking()
        await screen.mount(below, Static())
        widget.call_later(widget.look)
        removed = widget.remove()
        below.call_later(below.look)
        closed = app.pop_screen()
        await removed
        await closed
        await pilot.pause()
    assert app.failed is None


async def fail_by(action: str, *, removed: bool) -> FailingApp:
    """Return an app in which a widget did something, at last as it was removed."""
    app = FailingApp()
    with pytest.raises((NoMatches, ZeroDivisionError)):  # noqa: PT012
        async with app.run_test() as pilot:
            widget = Looking()
            await app.mount(widget)
            widget.call_later(getattr(widget, action))
            if removed:
                widget.remove()
            await pilot.pause()
    return app


async def test_what_is_on_the_screen_and_misses_something_ends_the_terminal() -> None:
    app = await fail_by("look", removed=False)
    assert app.failed is not None
    assert app.failed.failure.kind == "NoMatches"


async def test_another_error_of_what_was_taken_off_the_screen_ends_the_terminal_too() -> None:
    app = await fail_by("divide", removed=True)
    assert app.failed is not None
    assert app.failed.failure.kind == "ZeroDivisionError"
