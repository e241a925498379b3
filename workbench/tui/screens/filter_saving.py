"""Saving the filter in view under a name."""

from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from workbench.model.terminal_config import FILTER_NAME
from workbench.model.traffic.filter import Filter
from workbench.tui.screens.dialogs import PromptScreen
from workbench.workspace.saved_filters import read_filters, save_filter

if TYPE_CHECKING:
    from workbench.tui.pane import Pane

_TOPIC = "filters"
_TEXT = "In a filter, @ and the name stand for it; the file is config.toml."


async def save(pane: "Pane", filter: Filter) -> None:
    """Ask for a name, and save the filter under it."""
    saved = read_filters("@")
    known = f"\nSaved are: {', '.join(f'@{name}' for name in saved)}." if saved else ""
    prompt = PromptScreen("Save the filter", f"{filter.text}\n{_TEXT}{known}", placeholder="slow", problem=_problem)
    name = await pane.app.push_screen_wait(prompt)
    if name is None:
        return
    name = name.strip().removeprefix("@")
    try:
        path = save_filter(name, filter)
    except ConfigurationError as error:
        pane.notify(str(error), title=_TOPIC, severity="error", markup=False)
        return
    replaced = ", in place of the earlier one" if name in saved else ""
    pane.notify(f"@{name} is saved in {path}{replaced}.", title=_TOPIC, markup=False)


def _problem(name: str) -> str | None:
    if FILTER_NAME.fullmatch(name.strip().removeprefix("@")):
        return None
    return "A name has letters, digits, _ and - only."
