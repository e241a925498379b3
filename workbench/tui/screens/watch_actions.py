"""What a user does with watched calls in the tools pane: watch a call, end that, and show the table of all."""

from functools import partial

from workbench.model.catalog import Offer, OfferKind, is_destructive
from workbench.model.history import CallRun, RunStatus
from workbench.model.saved_calls import SavedCall, SavedCalls
from workbench.model.short_text import shortened
from workbench.model.terminal_memory import TerminalMemory
from workbench.tui.key_bindings import key_for
from workbench.tui.pane import Pane
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.screens.watch_screen import WatchScreen
from workbench.tui.workers import start_worker
from workbench.workspace.watched_calls import MAX_CALLS

TOPIC = "watched calls"
_CHOICES = (
    Choice("leave", "l", "Do not watch it"),
    Choice("watch", "w", "Watch it", "it is called again at each save"),
)


class WatchActions:
    """The actions of a pane on watched calls."""

    def __init__(self, pane: Pane) -> None:
        self._pane = pane
        # The saved calls that an earlier terminal has watched.
        self._remembered: list[str] = []

    def why_not(self, action: str, offer: Offer | None) -> str | None:
        workspace = self._pane.workspace
        if action == "show_watched" and not workspace.is_watching:
            return f"No call is watched: press {key_for('watch', 'tools')} at a form, a call or a saved call."
        if action != "watch" or (offer is not None and offer.kind in (OfferKind.RESOURCE, OfferKind.TEMPLATE)):
            return None
        if offer is None or offer.kind is not OfferKind.TOOL:
            return "Choose a tool or a resource first."
        if workspace.core.is_relay:
            return "Only calls of tools in a folder are watched: saving a file changes nothing in this server."
        return workspace.why_not_sent or None

    def toggle(self, call: SavedCall, run: CallRun | None = None) -> None:
        """Watch a call of a tool, or end that; a run of it that is in view is the first result."""
        watched = self._pane.workspace.watched_calls
        if (before := watched.find(call)) is not None:
            watched.remove(before)
            self._notify(f"{shortened(before.label)} is no longer watched.")
        elif len(watched.calls) >= MAX_CALLS:
            self._pane.notify(f"{MAX_CALLS} calls are watched already.", title=TOPIC, severity="warning", markup=False)
        else:
            start_worker(self._pane, partial(self._add, call, run), "watch")

    async def _add(self, call: SavedCall, run: CallRun | None) -> None:
        workspace = self._pane.workspace
        may_destroy = is_destructive(workspace.core.tool(call.target))
        if may_destroy and not await self._agrees(call):
            return
        has_result = run is not None and run.status is RunStatus.OK
        watched = workspace.watched_calls.add(call, may_destroy=may_destroy, first=run if has_result else None)
        if not has_result:
            workspace.watched_calls.run_soon(watched)
        if watched.call.name:
            self._pane.log_command("tools.watch", name=watched.call.name)
        key = key_for("show_watched", "tools")
        self._notify(f"{shortened(watched.label)} is called again at each save; {key} shows what differs.")

    async def _agrees(self, call: SavedCall) -> bool:
        text = f"{call.note}\n\n{call.target} may destroy data (destructiveHint)."
        return await self._pane.app.push_screen_wait(ChoiceScreen("Watch this call?", text, _CHOICES)) == "watch"

    def show(self) -> None:
        self._pane.app.push_screen(WatchScreen(self._pane.workspace), self._open_call)

    def update(self) -> None:
        """Show the results in the table, if it is open."""
        if isinstance(screen := self._pane.app.screen, WatchScreen):
            screen.watched_changed()

    def update_saved(self, saved: SavedCalls) -> None:
        """Use the saved calls as they are now, and those that an earlier terminal has watched."""
        workspace = self._pane.workspace
        if workspace.is_watching:
            workspace.watched_calls.update_saved(saved.calls)
        if workspace.core.is_relay:
            return
        for call in saved.calls:
            if call.name in self._remembered:
                self._remembered.remove(call.name)
                if workspace.watched_calls.find(call) is None:
                    watched = workspace.watched_calls.add(call)
                    # Those that wait for the first load are run after it.
                    if workspace.core.is_loaded:
                        workspace.watched_calls.run_soon(watched)

    def restore(self, memory: TerminalMemory) -> None:
        self._remembered = list(memory.watched)

    def remember(self, memory: TerminalMemory) -> None:
        workspace = self._pane.workspace
        calls = workspace.watched_calls.calls if workspace.is_watching else []
        memory.watched = [*self._remembered, *(each.call.name for each in calls if each.call.name)]

    def _open_call(self, call: SavedCall | None) -> None:
        if call is not None:
            self._pane.open_recorded_call(call)

    def _notify(self, text: str) -> None:
        self._pane.notify(text, title=TOPIC, markup=False)
