"""What a key costs: the number of widgets whose styles are computed again."""

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widget import Widget

from tests.waiting import until
from tests.workbench.tui.kitchen import kitchen_link
from tests.workbench.tui.screens.tools_pane import choose, tools
from workbench.tui.widgets.light_classes import FOCUSED


async def test_the_focus_moves_in_a_form_without_new_styles_for_the_rest_of_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "book_table")
        await until(lambda: len(app.query("#form LineEditor")) > 1)
        first, *_ = app.query("#form LineEditor").results(Widget)
        first.focus()
        await until(lambda: first in app.query(f".{FOCUSED} *"))
        styled: list[DOMNode] = []
        apply = Stylesheet.apply

        def count(sheet: Stylesheet, node: DOMNode, **options: object) -> None:
            styled.append(node)
            apply(sheet, node, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(Stylesheet, "apply", count)
        await pilot.press("tab")
        await until(lambda: app.focused is not first and app.focused in app.query(f"FieldRow.{FOCUSED} *"))
        widgets = [node for node in styled if node in app.query("*")]
        assert 0 < len(widgets) < len(app.query("*")) / 4
