"""Lists and text areas between a change and the next layout."""

import pytest
from rich.style import Style
from textual.app import App, ComposeResult
from textual.events import Click
from textual.geometry import Region
from textual.widgets import OptionList

from workbench.tui.widgets.form.text import AreaEditor
from workbench.tui.widgets.steady import Checklist, Commands, DropDown, Overlay


class Host(App[None]):
    """An app with a list of each kind, none of which is painted."""

    CSS = "Screen { layers: one; } OptionList { display: none; }"

    def compose(self) -> ComposeResult:
        yield Commands()
        yield Checklist[int](("one", 1), ("two", 2))
        yield DropDown[int]([("one", 1), ("two", 2)])


@pytest.mark.parametrize("kind", [Commands, Checklist, Overlay])
async def test_a_list_ignores_keys_before_it_has_lines_and_clicks_on_removed_entries(
    kind: type[OptionList],
) -> None:
    app = Host()
    async with app.run_test() as pilot:
        options = app.query_one(kind)
        if kind is Commands:
            options.add_options(["one", "two"])
        count = options.option_count
        for action in ("first", "page_up", "page_down", "last", "page_up"):
            getattr(options, f"action_{action}")()
        painted = Style.from_meta({"option": 7})
        options.post_message(Click(options, 1, 3, 0, 0, 1, False, False, False, style=painted))
        await pilot.pause()
        assert options.option_count == count


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
