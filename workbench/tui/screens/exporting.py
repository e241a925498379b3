"""Export of the messages that the inspector shows, to a file."""

from typing import TYPE_CHECKING

from workbench.model.describe import plural
from workbench.model.notices import UNAVAILABLE
from workbench.model.saved_content import SavedContent
from workbench.model.traffic.export import FORMATS, ExportedMessage, exported
from workbench.tui.result_requests import save
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.workers import run_on_thread

if TYPE_CHECKING:
    from workbench.tui.screens.inspector_pane import InspectorPane

MAX_EXPORTED = 20_000
"""How many messages are exported: the newest."""

_CHOICES = (
    Choice("jsonl", "j", FORMATS["jsonl"], "every record, a line each"),
    Choice("har", "h", FORMATS["har"], "requests with their responses, for the tools of browsers"),
    Choice("md", "m", FORMATS["md"], "for an issue"),
    Choice("html", "p", FORMATS["html"], "one page to read"),
)


async def export(pane: "InspectorPane") -> None:
    """Ask for a format and a file, and write the messages that are shown."""
    view = pane.traffic.view
    entries = [view.timeline[index] for index in view.all_indices[-MAX_EXPORTED:]]
    if not entries:
        pane.notify("There is no message to export.", title=UNAVAILABLE, markup=False)
        return
    text = f"{plural(len(entries), 'message')}, as shown; secrets are masked."
    ending = await pane.app.push_screen_wait(ChoiceScreen("Export", text, _CHOICES))
    if ending is None:
        return
    messages = [ExportedMessage(entry, await pane.detail.body(entry)) for entry in entries]
    data = (await run_on_thread(lambda: exported(messages, ending))).encode("utf-8", "replace")
    await save(pane.app, SavedContent(f"messages.{ending}", data))
