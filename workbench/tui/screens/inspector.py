"""Every message on the wire, live: the list, the filter over it, and both halves of the message under the cursor."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from server_core.errors import WorkbenchError
from workbench.model.entry import Entry
from workbench.model.filter import FilterError, parse_filter
from workbench.model.highlight import JsonDocument
from workbench.model.timeline import Timeline
from workbench.model.view import View
from workbench.tui.actions import bindings
from workbench.tui.pane import Pane
from workbench.tui.widgets.json_view import JsonView, Section
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.traffic import TrafficList, heading_of


class InspectorPane(Pane):
    """The inspector."""

    PLACE: ClassVar[str] = "inspector"
    BINDINGS = bindings(PLACE)

    def __init__(self) -> None:
        super().__init__()
        self._paused = False
        self._cleared_up_to = 0
        self._search = ""
        self._detailed: tuple[int, int, str] = (0, 0, "")
        self._timeline: Timeline | None = None

    def compose(self) -> ComposeResult:
        """Make the filter, the list and the detail."""
        with Container(id="filter-row"):
            yield Input(placeholder="filter: tool:greet status:err dur>500ms …", id="filter", compact=True)
            yield Static(id="filter-note", markup=False)
        with Container(id="inspector-body"):
            with Vertical(id="traffic-side"):
                yield Static(id="traffic-head", markup=False)
                yield TrafficList(id="traffic")
            yield JsonView(id="detail")
