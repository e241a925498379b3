"""The content of a file is the value of a field: read when the call is sent, and shown shortened in the JSON."""

from pathlib import Path

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.kitchen import kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import called, choose, fill, tools
from tests.workbench.tui.widgets.form.test_proposed_choices import propose_in
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.proposal_screen import ProposalScreen
from workbench.tui.widgets.form.text import LineEditor


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names").mkdir()
    return tmp_path


async def test_a_file_is_chosen_read_when_the_call_is_sent_and_shown_in_the_json(folder: Path) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    (folder / "names" / "ada.txt").write_text("Ada", encoding="utf-8")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="@")
        await propose_in(app)
        await pilot.press("enter")
        await until(lambda: "names/" in app.query(LineEditor).first().value)
        await until(lambda: "ada.txt" in screen_text(app) and isinstance(app.screen, ProposalScreen))
        await pilot.press("enter")
        await until(lambda: not isinstance(app.screen, ProposalScreen))
        assert app.query(LineEditor).first().value == "@names/ada.txt"
        await pilot.press("ctrl+t")
        await until(lambda: "‹@names/ada.txt: 3 characters, Ada›" in app.query_one(JsonArea).text)
        (folder / "names" / "ada.txt").write_text("Grace", encoding="utf-8")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {"name": "Grace"}


async def test_a_file_that_is_missing_is_not_sent_and_its_field_shows_why(folder: Path) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="@missing")
        for _ in range(2):
            await pilot.press("ctrl+j")
            await until(lambda: "there is no file missing" in " ".join(screen_text(app).split()))
        assert called(link) == []
