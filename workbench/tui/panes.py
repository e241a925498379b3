"""The six panes by their place; a pane's module is imported when the pane is first shown."""

from importlib import import_module

from workbench.tui.pane import Pane

_CLASSES = {
    "tools": "ToolsPane",
    "inspector": "InspectorPane",
    "requests": "RequestsPane",
    "secrets": "SecretsPane",
    "problems": "ProblemsPane",
    "sessions": "SessionsPane",
}


def make_pane(place: str) -> Pane:
    """Return a new pane for one of :data:`workbench.tui.actions.PLACES`."""
    pane: Pane = getattr(import_module(f"workbench.tui.screens.{place}"), _CLASSES[place])()
    pane.id = place
    return pane
