"""JSON documents, folded to the width, under their headings."""

import json

from textual.app import App, ComposeResult

from tests.waiting import until
from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.widgets.json_view import JsonView
from workbench.tui.widgets.sections import Section


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


async def test_a_long_line_is_wrapped_between_words_and_nothing_of_it_is_lost() -> None:
    app = ViewApp()
    words = " ".join(f"word{number}" for number in range(40))
    async with app.run_test(size=(40, 20)) as pilot:
        app.show(json.dumps({"text": words}).encode())
        await pilot.pause()
        assert " ".join(" ".join(text(app)).split()) == f'{{ "text": "{words}" }}'
        assert text(app)[2].startswith("    ")


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
        await until(lambda: text(app)[-1] == "]")
        app.show(json.dumps(list(range(100, 200))).encode())
        await pilot.pause()
        assert text(app)[:2] == ["[", "  100,"]


async def test_the_documents_can_be_copied_as_text() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 10)):
        app.show(b'{"a":[1]}')
        assert json.loads(app.view.text) == {"a": [1]}


TREE = b'{"a":{"b":[1,2,3]},"c":"one\\ntwo"}'


async def test_enter_folds_the_object_under_the_cursor_and_unfolds_it() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.show(TREE)
        app.view.focus()
        await pilot.press("j", "enter")
        assert text(app)[:3] == ["{", '▸ "a": {…}, 1 member  enter unfolds', '▸ "c": "one\\ntwo"']
        await pilot.press("space")
        assert text(app)[2] == '    "b": ['


async def test_a_click_folds_the_object_that_it_ends() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.show(TREE)
        await pilot.pause()
        await pilot.click(JsonView, offset=(4, 6))
        assert text(app)[2] == '  ▸ "b": […] 3 members  enter unfolds'


async def test_a_click_on_a_row_that_opens_nothing_selects_it() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.show(b"one\ntwo")
        await pilot.pause()
        await pilot.click(JsonView, offset=(1, 1))
        assert (app.view.cursor, text(app)[:2]) == (1, ["one", "two"])


async def test_a_key_folds_and_unfolds_everything() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.show(TREE)
        app.view.focus()
        await pilot.press("-")
        assert app.view.line_count == 4
        await pilot.press("-")
        assert app.view.line_count == 10


async def test_a_text_with_line_breaks_unfolds_to_lines() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 14)) as pilot:
        app.show(TREE)
        app.view.focus()
        await pilot.press("G", "k", "enter")
        assert text(app)[8:12] == ['▾ "c":', "    one", "    two", "}"]


async def test_the_heading_folds_its_document() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.view.show(Section("request", JsonDocument(TREE)), Section("answer", JsonDocument(b"2")))
        app.view.focus()
        await pilot.press("enter")
        assert text(app)[:3] == ["▸ request", "answer", "2"]


async def test_a_search_shows_its_matches_and_goes_to_them() -> None:
    app = ViewApp()
    async with app.run_test(size=(60, 8)) as pilot:
        app.show(json.dumps({"list": [f"soup {number}" for number in range(50)], "q": "Soup"}).encode())
        app.view.focus()
        await pilot.press("/", *"soup")
        assert " 1 of 51" in text(app)[-1]
        await pilot.press("enter", "n")
        assert " 2 of 51" in text(app)[-1]
        await pilot.press("N", "N")
        assert "51 of 51" in text(app)[-1]
        assert any('"q": "Soup"' in row for row in text(app))
        await pilot.press("escape")
        assert "of 51" not in "".join(text(app))


async def test_a_match_in_a_folded_object_is_unfolded() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.show(TREE)
        app.view.focus()
        await pilot.press("-", "/", "b", "enter")
        assert app.view.path == "$.a.b"


async def test_a_search_without_a_match_reports_it() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.show(TREE)
        app.view.focus()
        await pilot.press("/", "q", "q")
        assert text(app)[-1].endswith("no match")


async def test_text_is_selected_with_the_mouse_and_copied() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.show(b"first line\nsecond line")
        await pilot.pause()
        await pilot.mouse_down(JsonView, offset=(6, 0))
        await pilot.hover(JsonView, offset=(5, 1))
        await pilot.mouse_up(JsonView, offset=(5, 1))
        await pilot.press("ctrl+c")
        assert app.clipboard == "line\nsecond"


async def test_a_wrapped_line_is_copied_as_a_single_line() -> None:
    app = ViewApp()
    async with app.run_test(size=(20, 12)) as pilot:
        app.show(b'["' + b"x" * 40 + b'"]')
        app.view.focus()
        app.screen.text_select_all()
        await pilot.press("ctrl+c")
        assert app.clipboard == '[\n  "' + "x" * 40 + '"\n]'


async def test_the_end_of_a_long_text_is_counted_and_a_match_in_it_is_shown() -> None:
    app = ViewApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.show("\n".join(f"line {number}" for number in range(400)).encode())
        app.view.focus()
        await pilot.press("G")
        await until(lambda: text(app)[-1].startswith("▸ 300 more lines"))
        await pilot.press("/", *"line 399", "enter")
        await until(lambda: any(row.startswith("line 399") for row in text(app)))


async def test_a_folded_row_under_the_cursor_names_the_key_that_unfolds_it() -> None:
    app = ViewApp()
    meta = {"a": 1, "b": 2, "c": 3}
    async with app.run_test(size=(60, 10)) as pilot:
        message = json.dumps({"params": {"_meta": meta}}).encode()
        app.view.show(Section("", JsonDocument(message), is_message=True))
        app.view.focus()
        await pilot.pause()
        assert text(app)[2] == '  ▸ "_meta": {…} 3 members'
        await pilot.press("down", "down")
        assert text(app)[2] == '  ▸ "_meta": {…} 3 members  enter unfolds'
        await pilot.press("enter")
        assert text(app)[3] == '      "a": 1,'
