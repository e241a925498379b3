"""Which errors end the terminal: those of mounted widgets, and not those of removed widgets."""

import pytest
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from workbench.tui.terminal_failures import FailureReportApp


class Querying(Widget):
    """A widget that queries a child that it does not have."""

    def query_missing(self) -> None:
        self.query_one("#nothing")

    def divide(self) -> None:
        raise ZeroDivisionError


async def test_a_failed_query_of_a_removed_widget_is_ignored() -> None:
    app = FailureReportApp()
    async with app.run_test() as pilot:
        widget, screen = Querying(), Screen[None]()
        await app.mount(widget)
        await app.push_screen(screen)
        below = Querying()
        await screen.mount(below, Static())
        widget.call_later(widget.query_missing)
        removed = widget.remove()
        below.call_later(below.query_missing)
        closed = app.pop_screen()
        await removed
        await closed
        await pilot.pause()
    assert app.failed is None


async def fail_by(action: str, *, removed: bool) -> FailureReportApp:
    """Return an app after a widget has called a method, optionally while it was being removed."""
    app = FailureReportApp()
    with pytest.raises((NoMatches, ZeroDivisionError)):  # noqa: PT012
        async with app.run_test() as pilot:
            widget = Querying()
            await app.mount(widget)
            widget.call_later(getattr(widget, action))
            if removed:
                widget.remove()
            await pilot.pause()
    return app


async def test_a_failed_query_of_a_mounted_widget_ends_the_terminal() -> None:
    app = await fail_by("query_missing", removed=False)
    assert app.failed is not None
    assert app.failed.failure.kind == "NoMatches"


async def test_another_error_of_a_removed_widget_ends_the_terminal_too() -> None:
    app = await fail_by("divide", removed=True)
    assert app.failed is not None
    assert app.failed.failure.kind == "ZeroDivisionError"
