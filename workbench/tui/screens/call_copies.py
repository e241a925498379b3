"""Copies of a recorded call for other places, from a menu, and a test of it in the project."""

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.model.json_members import object_in
from workbench.model.messages.call_texts import TEST, CallText, call_texts
from workbench.model.short_text import shortened
from workbench.model.traffic.entry import Entry, parse_object
from workbench.model.traffic.recorded_call import call_in
from workbench.tui.pane import Copied
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.workspace.test_file import add_test

if TYPE_CHECKING:
    from workbench.tui.screens.message_pane import MessagePane

_NOTE_LENGTH = 44
_TEST = "test of a call"  # The topic of notices about the last test that was written.


async def copy_call(pane: "MessagePane", request: Entry) -> None:
    """Ask for a form of the call of a request, and copy it."""
    texts = {each.key: each for each in await _texts(pane, request)}
    choices = tuple(
        Choice(key, key, text.title, shortened(text.text.partition("\n")[0], _NOTE_LENGTH))
        for key, text in texts.items()
    )
    choice = await pane.app.push_screen_wait(ChoiceScreen("Copy as", f"{request.method} {request.name}", choices))
    if choice is not None:
        pane.copy(Copied(texts[choice].title, texts[choice].text))


async def write_test(pane: "MessagePane", request: Entry) -> None:
    """Add a test that expects the recorded result of a call to the tests of the project."""
    test = next((each.text for each in await _texts(pane, request) if each.key == TEST), None)
    if test is None:
        return
    folder = pane.workspace.saved_calls.file.path.parent
    if (written := await pane.result_of(add_test(folder, test))) is not None:
        pane.notify(f"{written.name} is in {written.path}: run pytest.", title=_TEST, markup=False)


async def _texts(pane: "MessagePane", request: Entry) -> list[CallText]:
    data = await pane.detail.body(request)
    message, call = parse_object(data), call_in(data)
    if message is None or call is None:
        return []
    answer = pane.source.timeline.pair_of(request)
    result = None if answer is None else object_in(parse_object(await pane.detail.body(answer)) or {}, "result")
    return call_texts(call, replace(pane.called_server, is_here=False), message, result or None)
