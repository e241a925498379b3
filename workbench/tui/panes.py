"""The six panes by their place; a pane's module is imported when the pane is shown for the first time."""

from importlib import import_module

from textual.widgets import Static

from workbench.tui.actions import PLACES
from workbench.tui.pane import Pane

_CLASSES = {
    "tools": "ToolsPane",
    "inspector": "InspectorPane",
    "requests": "RequestsPane",
    "secrets": "SecretsPane",
    "problems": "ProblemsPane",
    "sessions": "SessionsPane",
}


class _Missing(Pane):
    """Stands where a pane is still to be written."""

    def compose(self):  # type: ignore[no-untyped-def]
        yield Static("Not there yet.", markup=False)


def make_pane(place: str) -> Pane:
    """Return a new pane for one of :data:`workbench.tui.actions.PLACES`."""
    assert place in PLACES
    try:
        module = import_module(f"workbench.tui.screens.{place}")
    except ModuleNotFoundError as error:
        if error.name != f"workbench.tui.screens.{place}":
            raise
        return _Missing(id=place)
    pane: Pane = getattr(module, _CLASSES[place])()
    pane.id = place
    return pane
