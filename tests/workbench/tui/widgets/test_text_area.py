"""A text area that is removed while a mouse event still refers to it."""

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region

from workbench.tui.widgets.form.text import AreaEditor


class EditorApp(App[None]):
    """An app with an editor of several lines."""

    def compose(self) -> ComposeResult:
        yield AreaEditor("one\ntwo", "")


@pytest.mark.parametrize("theme", ["textual-dark", "ansi-dark", "ansi-light"])
async def test_a_removed_text_area_is_blank_in_every_kind_of_theme(theme: str) -> None:
    app = EditorApp()
    app.theme = theme
    async with app.run_test() as pilot:
        await pilot.pause()
        editor = app.query_one(AreaEditor)
        line = Region(0, 0, 10, 1)
        assert "one" in editor.render_lines(line)[0].text
        await editor.remove()
        assert [strip.text.strip() for strip in editor.render_lines(line)] == [""]
