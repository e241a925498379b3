"""JSON documents, folded to the width, under their headings."""

import json

from textual.app import App, ComposeResult

from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.widgets.json_view import JsonView, Section


class ViewApp(App[None]):
    def compose(self) -> ComposeResult:
        yield JsonView()

    @property
    def view(self) -> JsonView:
        return self.query_one(JsonView)

    def show(self, data: bytes) -> None:
        self.view.show(Section("", JsonDocument(data)))


def text(app: ViewApp) -> list[str]:
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def test_json_is_shown_indented() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.show(b'{"name":"Ada","times":3}')
        await pilot.pause()
        assert text(app)[:4] == ["{", '  "name": "Ada",', '  "times": 3', "}"]


async def test_several_documents_are_under_their_headings() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(Section("request", JsonDocument(b"1")), Section("answer", JsonDocument(b"not json")))
        await pilot.pause()
        assert text(app)[:5] == ["request", "1", "", "answer", "not json"]


async def test_a_long_line_is_folded_and_nothing_of_it_is_lost() -> None:
    app = ViewApp()
    words = " ".join(f"word{number}" for number in range(40))
    async with app.run_test(size=(40, 20)) as pilot:
        app.show(json.dumps({"text": words}).encode())
        await pilot.pause()
        joined = "".join(strip.text for strip in app.screen._compositor.render_strips())
        assert all(f"word{number}" in joined for number in range(0, 40, 10))
        assert app.view.line_count == 3 + len(f'  "text": "{words}"') // 39


async def test_no_letter_is_lost_under_the_scrollbar() -> None:
    app = ViewApp()
    letters = "abcdefghij" * 8
    async with app.run_test(size=(40, 10)) as pilot:
        app.show("\n".join([letters] * 20).encode())
        await pilot.pause()
        assert app.view.show_vertical_scrollbar
        assert "".join(row[:39].rstrip() for row in text(app)[:3]) == letters


async def test_the_lines_are_folded_again_when_the_width_changes() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 20)) as pilot:
        app.show(json.dumps({"text": "x" * 200}).encode())
        await pilot.pause()
        narrow = app.view.line_count
        await pilot.resize_terminal(100, 20)
        await pilot.pause()
        assert app.view.line_count < narrow


async def test_control_characters_and_markup_are_shown_and_not_obeyed() -> None:
    app = ViewApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.show(b"[bold]x[/bold] \x1b[2J\x07")
        await pilot.pause()
        assert text(app)[0] == "[bold]x[/bold] \\x1b[2J\\x07"


async def test_other_contents_start_at_the_top() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.show(json.dumps(list(range(100))).encode())
        app.view.focus()
        await pilot.press("G")
        assert text(app)[-1] == "]"
        app.show(json.dumps(list(range(100, 200))).encode())
        await pilot.pause()
        assert text(app)[:2] == ["[", "  100,"]


async def test_the_documents_can_be_copied_as_text() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 10)):
        app.show(b'{"a":[1]}')
        assert json.loads(app.view.text) == {"a": [1]}
