"""Snapshots of the definition of a tool, at every size.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

from typing import Any

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, terminal
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import KITCHEN
from tests.workbench.tui.snapshots import SnapSizes
from workbench.tui.widgets.definition_view import DefinitionView
from workbench.tui.widgets.form.row import FieldRow

BREW = {
    "name": "brew",
    "title": "Brew coffee",
    "description": "**Brew** a pot of coffee, and keep it *warm* with `keep_warm()`.\n\n"
    "The pot holds up to 20 cups. See [the manual](https://example.org/manual)\nfor the temperatures:\n\n"
    "- mild: 90 degrees\n- normal: 93 degrees\n\n```python\nbrew(cups=3)\n```",
    "annotations": {"readOnlyHint": False, "destructiveHint": False},
    "inputSchema": {
        "type": "object",
        "properties": {
            "cups": {"type": "integer", "minimum": 1, "maximum": 20, "default": 4, "description": "How many **cups**."},
            "strength": {"enum": ["mild", "normal"], "description": "How strong it is."},
        },
        "required": ["strength"],
    },
    "outputSchema": {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]},
    "secrets": [],
    "source": {"file": "/home/ada/cafe/tools/coffee.py", "line": 12},
}


def brew_with(**cups: Any) -> dict[str, Any]:
    """Return the catalog with a tool whose parameter `cups` has other limits."""
    properties = BREW["inputSchema"]["properties"]  # type: ignore[index]
    schema = BREW["inputSchema"] | {"properties": properties | {"cups": properties["cups"] | cups}}  # type: ignore[operator]
    return KITCHEN | {"tools": [BREW | {"inputSchema": schema}]}


async def test_a_definition_after_a_reload(snap_sizes: SnapSizes) -> None:
    link = FakeLink()
    link.answers["catalog/get"] = brew_with()
    async with terminal(link, pane="tools") as (pilot, app):
        await until(lambda: app.query(FieldRow))
        link.answers["catalog/get"] = brew_with(maximum=12) | {"generation": KITCHEN["generation"] + 1}
        await app.workspace.core.refresh("catalog")
        await until(lambda: not app.workspace.core.checks.is_running)
        await pilot.press("alt+i")
        await until(lambda: isinstance(app.focused, DefinitionView))
        await until(lambda: "Changed by the last reload" in screen_text(app))
        await until(lambda: app.query_one(DefinitionView).is_complete)
        await snap_sizes(pilot)
