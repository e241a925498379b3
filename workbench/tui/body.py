"""The space between the tabs and the footer: one pane at a time, or a text while there is no workspace yet."""

from importlib import import_module

from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer
from textual.widgets import Static

from workbench.model.terminal_memory import TerminalMemory
from workbench.tui.key_bindings import key_for
from workbench.tui.pane import Pane

_PANES = {
    "tools": "ToolsPane",
    "inspector": "InspectorPane",
    "requests": "RequestsPane",
    "secrets": "SecretsPane",
    "problems": "ProblemsPane",
    "sessions": "SessionsPane",
}


STARTING = "Starting the core …"
SLOW_S = 5.0
"""Seconds after which the user learns why nothing is shown yet."""
_SLOW = (
    "The core does not answer yet.\n\n"
    "With a folder of tools, it does so after a few seconds. Another server has 60 seconds for its first response:\n"
    "a package runner may have to download it.\n\n"
    f"{key_for('quit')} quits."
)


class Body(Container):
    """The panes that have been shown, of which one is in front."""

    def __init__(self, place: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._slow_timer: Timer | None = None
        self.place = place
        """The place of the pane in front, even before there is a pane."""
        self.is_chosen = False
        """Whether a pane has been requested, so that the remembered one is not restored."""
        self.memory = TerminalMemory()
        """What the panes restore when they are first shown."""
        self.panes: dict[str, Pane] = {}
        """The panes that have been shown, by their places."""
        self._shown: set[str] = set()

    def compose(self) -> ComposeResult:
        # Panes are mounted when they are first shown.
        yield Static(STARTING, id="starting", markup=False)

    @property
    def pane(self) -> Pane | None:
        return self.panes.get(self.place)

    @property
    def is_ready(self) -> bool:
        """Whether the pane in front is mounted, and can use keys."""
        pane = self.pane
        return pane is not None and self.place in self._shown and pane.is_ready

    def show_starting(self) -> None:
        """Show that the terminal connects, and after a while how long that may take."""
        self.show_text(STARTING)
        self._slow_timer = self.set_timer(SLOW_S, lambda: self.show_text(_SLOW))

    def show_text(self, text: str) -> None:
        if self._slow_timer is not None:
            self._slow_timer.stop()
            self._slow_timer = None
        self.query_one("#starting", Static).update(text)

    async def show_pane(self) -> None:
        place = self.place
        # At once: the pane to show may take a while to be created, and the tabs name it already.
        self._show_front()
        if (pane := self.panes.get(place)) is None:
            pane = self.panes[place] = make_pane(place)
            pane.arrangement = self.memory.arrangement
            pane.restore(self.memory)
            await self.mount(pane)
        self._show_front()
        # Another pane may have been requested while this one was being created, or this one a second time.
        # The app may have ended meanwhile, which removes what is in the pane first.
        if pane.is_mounted and pane.is_attached and pane.is_running and pane.children:
            self._shown.add(place)
            if place == self.place:
                pane.on_shown()

    def _show_front(self) -> None:
        self.query_one("#starting").display = False
        for place, pane in self.panes.items():
            pane.display = place == self.place

    def remember(self) -> TerminalMemory:
        """Return the memory with the current state of the panes."""
        self.memory.place = self.place
        for pane in self.panes.values():
            if pane.is_mounted and pane.is_running:
                pane.remember(self.memory)
        return self.memory

    def update_panes(self, part: str) -> None:
        """Have the panes show a changed part of the workspace; only the pane in front shows records."""
        panes = list(self.panes.values()) if part != "timeline" else [self.pane]
        for pane in panes:
            # The workspace may change while the pane is being created, and while the app shuts down.
            if pane is not None and pane.is_mounted and pane.is_running:
                pane.workspace_changed(part)


def make_pane(place: str) -> Pane:
    """Return a new pane for one of :data:`workbench.tui.actions.PLACES`."""
    # Imported when it is first shown: the first paint needs none of them.
    pane: Pane = getattr(import_module(f"workbench.tui.screens.{place}_pane"), _PANES[place])()
    pane.id = place
    return pane
