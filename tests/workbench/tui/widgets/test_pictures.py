"""Pictures in results: drawn in half blocks, within limits, or replaced by a sentence."""

import base64
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from textual.app import App, ComposeResult

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from workbench.model.catalog import OfferKind
from workbench.model.history import CallRun
from workbench.tui.widgets.result import ResultView


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield ResultView()

    @property
    def view(self) -> ResultView:
        return self.query_one(ResultView)

    def show(self, *items: dict[str, Any]) -> None:
        run = CallRun(1, "draw", {}, 0.0)
        run.finish({"content": list(items)}, 1.0)
        self.view.show_run(OfferKind.TOOL, run)

    def rows(self) -> list[str]:
        """Return the rows of the view that show a part of a picture, without blanks."""
        return [text for line in screen_text(self).split("\n") if (text := line.strip()).startswith("▀")]


def picture(width: int, height: int, colour: str = "red") -> dict[str, Any]:
    stream = BytesIO()
    Image.new("RGB", (width, height), colour).save(stream, "PNG")
    return {"type": "image", "mimeType": "image/png", "data": base64.b64encode(stream.getvalue()).decode()}


async def test_a_picture_is_drawn_in_half_blocks_below_a_heading_that_describes_it() -> None:
    async with (app := Host()).run_test(size=(80, 30)) as pilot:
        app.show(picture(40, 20))
        await until(app.rows)
        await pilot.pause()
        assert "image · image/png, " in screen_text(app)
        assert "B · 40 × 20 pixels" in screen_text(app)
        assert app.rows() == ["▀" * 40] * 10


async def test_a_picture_is_fitted_into_the_view_and_again_after_a_resize() -> None:
    async with (app := Host()).run_test(size=(42, 12)) as pilot:
        app.show(picture(800, 400))
        await until(app.rows)
        await until(lambda: app.rows() == ["▀" * 38] * 10)
        await pilot.resize_terminal(24, 12)
        await until(lambda: app.rows() == ["▀" * 20] * 5)
        await pilot.resize_terminal(100, 8)
        await until(lambda: {len(row) for row in app.rows()} == {28})


async def test_pictures_are_shown_one_below_the_other_and_in_embedded_resources() -> None:
    resource = {"uri": "demo://a", "mimeType": "image/png", "blob": picture(6, 2)["data"]}
    async with (app := Host()).run_test(size=(80, 30)):
        app.show(picture(4, 2), {"type": "resource", "resource": resource}, picture(8, 2))
        await until(lambda: app.rows() == ["▀" * 4, "▀" * 6, "▀" * 8])


async def test_a_key_switches_between_the_picture_and_its_description() -> None:
    async with (app := Host()).run_test(size=(80, 30)) as pilot:
        app.show(picture(4, 2))
        await until(app.rows)
        app.view.focus()
        await pilot.press("t")
        await until(lambda: not app.rows())
        await pilot.press("t")
        await until(app.rows)


async def test_a_picture_that_cannot_be_shown_is_replaced_by_the_reason() -> None:
    async with (app := Host()).run_test(size=(100, 30)):
        app.show({"type": "image", "mimeType": "image/png", "data": "aGVsbG8="})
        await until(lambda: "It cannot be read" in screen_text(app))
        assert "o opens it, s saves it." in screen_text(app)


async def test_a_terminal_without_colours_gets_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    async with (app := Host()).run_test(size=(80, 30)):
        monkeypatch.setattr(app.console, "_color_system", None)
        app.show(picture(4, 2, "white"), picture(4, 2, "black"), picture(5, 2, "grey"))
        await until(lambda: "@@@@" in screen_text(app) and "=====" in screen_text(app).replace("+", "="))


async def test_a_picture_that_is_read_after_another_result_is_shown_changes_nothing() -> None:
    async with (app := Host()).run_test(size=(80, 30)) as pilot:
        app.show(picture(40, 20))
        app.show({"type": "text", "text": "no picture"})
        await pilot.pause()
        await until(lambda: not app.workers._workers)
        assert "no picture" in screen_text(app)
        assert not app.rows()
