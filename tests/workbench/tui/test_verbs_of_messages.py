"""What can be done with a message of the inspector, on the demo and on a server that others wrote."""

import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

import scaffolds
from server_core.core import Core
from server_core.records.tap import Record
from tests.terminal.walks.modes import foreign_server
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled
from tests.workbench.tui.working import terminal_on
from workbench.model.messages.message_text import wire_bytes
from workbench.model.traffic.entry import Entry
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.composer import Composer
from workbench.tui.screens.held_screen import HeldScreen
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.screens.replay_screen import ReplayScreen
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.offer_form import OfferForm

TOOLS = {"demo": "greet", "foreign": "echo"}


@pytest.fixture(params=list(TOOLS))
def kind(request: pytest.FixtureRequest) -> str:
    """Which server is used: the demo, or server-everything where npm has installed it."""
    return str(request.param)


@asynccontextmanager
async def inspecting_a_call(kind: str, folder: Path) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp, InspectorPane]]:
    """Call a tool with one text, and select its call in the inspector."""
    if kind == "demo":
        project = folder / "demo"
        shutil.copytree(scaffolds.demo_folder(), project, ignore=shutil.ignore_patterns("__pycache__"))
        core = Core(project=project, link=False)
    else:
        core = Core(upstream=foreign_server(), link=False)
    async with terminal_on(core, "inspector") as (pilot, app):
        await until(lambda: app.state in ("ready", "partial") and app.tools)
        tool = next(tool for tool in app.tools if tool["name"] == TOOLS[kind])
        run = app.workspace.call(tool["name"], {next(iter(tool["inputSchema"]["properties"])): "Ada"})
        await until(lambda: not run.is_running)
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        await until(lambda: calls(app) and calls(app)[0].pair)
        await settled(pilot)
        await pane.follow_message(calls(app)[0].seq)
        yield pilot, app, pane


def calls(app: WorkbenchApp) -> list[Entry]:
    """Return the requests that call a tool."""
    return [entry for entry in app.workspace.timeline if entry.method == "tools/call" and entry.kind == "request"]


def shown(app: WorkbenchApp, request: Entry) -> bool:
    """Return whether the detail shows the response to a request."""
    return f"#{request.pair} · " in screen_text(app)


async def test_a_call_is_sent_again_and_its_answer_compared(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, _):
        await pilot.press("r")
        await until(lambda: len(calls(app)) == 2 and calls(app)[1].pair)
        await until(lambda: f"Against the answer to #{calls(app)[0].seq}: the same" in screen_text(app))


async def test_a_call_is_changed_and_sent_with_exactly_the_bytes_of_the_text(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, _):
        await pilot.press("E")
        await until(lambda: isinstance(app.screen, Composer))
        area = app.screen.query_one(JsonArea)
        await until(lambda: area.text)
        area.load_text(area.text.replace('"Ada"', '"Gr\\u00e4ce"'))
        await pilot.press("ctrl+j")
        await until(lambda: len(calls(app)) == 2 and calls(app)[1].pair)
        assert await app.workspace.body(calls(app)[1]) == wire_bytes(area.text)
        await until(lambda: "Gräce" in screen_text(app) and shown(app, calls(app)[1]))


async def test_a_message_of_any_method_is_composed_and_its_error_shown(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, _):
        await pilot.press("C")
        await until(lambda: isinstance(app.screen, Composer))
        app.screen.query_one(JsonArea).load_text('{"jsonrpc": "2.0", "id": "mine", "method": "tools/nothing"}')
        # What is wrong with it is shown first; a second time it is sent in any case.
        await pilot.press("ctrl+j", "ctrl+j")
        await until(lambda: any(entry.method == "tools/nothing" and entry.pair for entry in app.workspace.timeline))
        await until(lambda: "tools/nothing → -326" in screen_text(app) and "in no revision" in screen_text(app))


async def test_a_held_call_is_changed_and_its_result_shows_it(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, _):
        await pilot.press("i")
        await until(lambda: isinstance(app.focused, Input) and app.screen.is_modal)
        await pilot.press(*f"tool:{TOOLS[kind]} dir:in", "enter")
        await until(lambda: app.workspace.held.filter)
        await pilot.press("r")
        await until(lambda: app.workspace.held.messages)
        await pilot.press("I")
        await until(lambda: isinstance(app.screen, HeldScreen))
        await pilot.press("e")
        await until(lambda: isinstance(app.screen, Composer) and '"Ada"' in app.screen.query_one(JsonArea).text)
        area = app.screen.query_one(JsonArea)
        area.load_text(area.text.replace('"Ada"', '"Grace"'))
        await pilot.press("ctrl+j")
        await until(lambda: not app.workspace.held.messages and any("Grace" in text for text in results(app)))


def results(app: WorkbenchApp) -> list[str]:
    """Return the summaries of the responses to calls."""
    return [entry.summary for entry in app.workspace.timeline if entry.kind == "response"]


async def test_a_value_of_the_detail_becomes_the_filter(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, pane):
        await pilot.press("enter")
        await until(lambda: pane.detail.has_focus and '"Ada"' in screen_text(app))
        await until_at_value(pilot, pane, '"Ada"')
        await pilot.press("a")
        await until(lambda: "$.params.arguments" in pane.filter_text and len(pane.traffic.view) == 1)


async def until_at_value(pilot: Pilot[Any], pane: InspectorPane, value: str) -> None:
    """Go down in the detail until the value has the cursor."""
    for _ in range(30):
        if (place := pane.detail.document_line) is not None and place[0].value(place[1]) == value:
            return
        await pilot.press("down")
    raise AssertionError(f"The detail has no line with {value}.")


async def test_a_call_is_loaded_into_its_form(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, _):
        await pilot.press("e")
        await until(lambda: app.place == "tools" and app.query(OfferForm))
        form = app.query_one(OfferForm)
        await until(lambda: form.editor.form is not None and "Ada" in form.editor.form.value().values())


async def test_a_call_is_copied_as_a_command_that_makes_it_again(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, _):
        await pilot.press("Y")
        await until(lambda: app.screen.is_modal and "workbench call" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "Ada" in app.clipboard)
        assert app.clipboard.startswith("workbench call")
        assert TOOLS[kind] in app.clipboard


async def test_the_messages_are_exported_and_read_again(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, pane):
        pane.open_call(calls(app)[0].seq)
        await pilot.press("x")
        await until(lambda: app.screen.is_modal)
        await pilot.press("j")
        await until(lambda: isinstance(app.focused, Input))
        assert isinstance(app.focused, Input)
        app.focused.value = str(tmp_path / "messages.jsonl")
        await pilot.press("enter")
        await until(lambda: (tmp_path / "messages.jsonl").exists())
        await until(lambda: not app.screen.is_modal)
        records = [
            Record.from_wire(json.loads(line)) for line in (tmp_path / "messages.jsonl").read_text().splitlines()
        ]
        assert {calls(app)[0].seq, calls(app)[0].pair} <= {record.seq for record in records}


async def test_the_capture_is_replayed_and_the_call_has_the_same_result(kind: str, tmp_path: Path) -> None:
    async with inspecting_a_call(kind, tmp_path) as (pilot, app, _):
        await app.show("sessions")
        await app.workspace.core.refresh("sessions")
        await until(lambda: app.workspace.core.captures)
        await settled(pilot)
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal)
        await pilot.press("R")
        await until(lambda: isinstance(app.screen, ReplayScreen))
        await until(lambda: re.search(rf"same +#\d+ tools/call {TOOLS[kind]}", screen_text(app)))
