"""Copies of a recorded call for other places, from a menu."""

from typing import TYPE_CHECKING

from workbench.model.json_members import object_in
from workbench.model.messages.call_texts import CalledServer, call_texts
from workbench.model.short_text import shortened
from workbench.model.traffic.entry import Entry, parse_object
from workbench.model.traffic.recorded_call import call_in
from workbench.tui.pane import Copied
from workbench.tui.screens.dialogs import Choice, ChoiceScreen

if TYPE_CHECKING:
    from workbench.tui.screens.inspector_pane import InspectorPane

_NOTE_LENGTH = 44


async def copy_call(pane: "InspectorPane", request: Entry) -> None:
    """Ask for a form of the call of a request, and copy it."""
    data = await pane.detail.body(request)
    message, call = parse_object(data), call_in(data)
    if message is None or call is None:
        return
    answer = pane.source.timeline.pair_of(request)
    result = None if answer is None else object_in(parse_object(await pane.detail.body(answer)) or {}, "result")
    core = pane.workspace.core
    server = CalledServer(str(core.info.get("project") or "."), core.is_relay, str(core.info.get("http_url") or ""))
    texts = {each.key: each for each in call_texts(call, server, message, result or None)}
    choices = tuple(
        Choice(key, key, text.title, shortened(text.text.partition("\n")[0], _NOTE_LENGTH))
        for key, text in texts.items()
    )
    choice = await pane.app.push_screen_wait(ChoiceScreen("Copy as", f"{request.method} {request.name}", choices))
    if choice is not None:
        pane.copy(Copied(texts[choice].title, texts[choice].text))
