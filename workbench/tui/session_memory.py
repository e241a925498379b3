"""What this terminal remembers: restored when its workspace opens, and stored while the user works."""

from contextlib import suppress
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from server_core.errors import ConfigurationError
from workbench.tui.workers import run_on_thread, start_worker

if TYPE_CHECKING:
    from workbench.model.terminal_memory import TerminalMemory
    from workbench.tui.body import Body
    from workbench.workspace.workspace import Workspace

SAVE_S = 10.0
"""How often the memory is stored, if it has changed; also when another pane is shown, and at the end."""


class _State(NamedTuple):
    """A state of the panes, as it is stored; later states have higher numbers."""

    number: int
    project: str
    state: dict[str, Any]


class SessionMemory:
    """Connects the panes with the stored memory of their project, or with that of a terminal that has failed.

    `keeps_place` is whether the first pane is given, so that the remembered one is not used.
    """

    def __init__(self, body: "Body", memory: "TerminalMemory | None", *, keeps_place: bool) -> None:
        self._body = body
        self._has_memory = memory is not None
        self._keeps_place = keeps_place
        self._project: str | None = None
        self._latest = _State(0, "", {})
        # The states are written on threads, which may overtake each other.
        self._lock = Lock()
        self._written = 0
        self._is_mixed = False
        if memory is not None:
            body.memory = memory

    def begin(self, workspace: "Workspace", *, has_typed: bool = False) -> None:
        """Restore the memory and earlier runs of the first project; if keys wait, the pane in front stays."""
        from workbench.tui.actions import PLACES
        from workbench.workspace.earlier_sessions import load_earlier_runs
        from workbench.workspace.memory_file import load_memory
        from workbench.workspace.message_annotations import load_annotations

        start_worker(self._body, partial(load_annotations, workspace), "annotations")
        start_worker(self._body, partial(load_earlier_runs, workspace), "earlier runs")
        project = str(workspace.core.info.get("project") or "")
        if self._project not in (None, project):
            self.save()
            # What is in the forms belongs to the project before.
            self._is_mixed = bool(self._latest.state.get("values"))
        is_first, self._project = self._project is None, project
        if not is_first or self._has_memory:
            return
        memory = self._body.memory = load_memory(project)
        if not (self._keeps_place or self._body.is_chosen or has_typed) and memory.place in PLACES:
            self._body.place = memory.place

    def save(self) -> None:
        """Store the state of the panes, if it has changed, on a thread: a slow disk must not delay a key."""
        if self._has_changed():
            start_worker(self._body, partial(self._save, self._latest), "memory", exclusive=False)

    def save_at_end(self) -> None:
        """Store the state of the panes before the terminal ends, and with it the workers."""
        self._has_changed()
        with suppress(OSError, ConfigurationError):
            self._write(self._latest)

    def _has_changed(self) -> bool:
        """Get the state of the panes, and return whether it differs from the last."""
        if self._project is None or self._is_mixed or (state := self._body.remember().to_json()) == self._latest.state:
            return False
        self._latest = _State(self._latest.number + 1, self._project, state)
        return True

    async def _save(self, state: _State) -> None:
        try:
            await run_on_thread(partial(self._write, state))
        except (OSError, ConfigurationError):
            # A folder that cannot be written to is no reason to disturb the user.
            self._project = None

    def _write(self, state: _State) -> None:
        from workbench.workspace.memory_file import save_memory

        with self._lock:
            if state.number > self._written:
                save_memory(state.project, state.state)
                self._written = state.number

    def after_failure(self) -> "TerminalMemory | None":
        """Return the memory after a failure of the terminal, which may have left any widget unusable."""
        try:
            return self._body.remember()
        except Exception:  # What was remembered before is better than nothing, and the first failure is reported.
            return self._body.memory
