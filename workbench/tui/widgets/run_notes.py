"""The lines below the status of a run: other calls, open questions, updates, and the button that cancels."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from workbench.model.short_text import escaped
from workbench.tui.key_bindings import key_for

if TYPE_CHECKING:
    from workbench.model.history import CallRun

# How many calls are named that go on beside the one in view.
_MAX_OTHERS = 3
_CANCEL = key_for("cancel_run", "tools")


class RunNotes(Vertical):
    """Lines that are shown only while they apply."""

    DEFAULT_CSS = """
    RunNotes {
        height: auto;
        & > #waiting { display: none; height: auto; margin-top: 1; padding: 0 1; color: $text-warning; }
        &.-waiting > #waiting { display: block; }
        & > #others { display: none; height: auto; padding: 0 1; color: $text-muted; }
        &.-others > #others { display: block; }
        & > #update { display: none; height: 1; padding: 0 1; color: $text-accent; }
        &.-update > #update { display: block; }
        & > #running { display: none; height: 1; margin-top: 1; padding: 0 1; }
        & > #running > Button { min-width: 8; }
        &.-running > #running { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, str] = {}
        self._label = f"Cancel {_CANCEL}"

    def compose(self) -> ComposeResult:
        yield Static(id="others", markup=False)
        yield Static(id="waiting", markup=False)
        yield Static(id="update", markup=False)
        with Horizontal(id="running"):
            yield Button(self._label, compact=True, id="cancel")

    @property
    def button(self) -> Button:
        """The button that cancels the run."""
        return self.query_one("#cancel", Button)

    def show_running(self, run: "CallRun | None") -> None:
        """Show the button while a run goes on."""
        self.set_class(run is not None and run.is_running, "-running")

    def show_others(self, runs: "Iterable[CallRun]", run: "CallRun | None") -> None:
        """Show which other calls go on, so that it is clear which one a key cancels."""
        others = [other for other in runs if other.is_running and other is not run]
        names = escaped(", ".join(f"{other.tool} {other.title}" for other in others[:_MAX_OTHERS]))
        text = f"Also running: {names} · {key_for('toggle_history', 'tools')} shows all"
        self._show_line("others", text if others else "")
        number = f" {run.title}" if others and run is not None else ""
        if (label := f"Cancel{number} {_CANCEL}") != self._label:
            self._label = self.button.label = label
            self.button.refresh(layout=True)

    def show_waiting(self, text: str) -> None:
        """Show which calls wait for an answer of the user; empty if none does."""
        self._show_line("waiting", text)

    def show_update(self, text: str) -> None:
        """Show when the shown resource was updated; empty if it is not subscribed."""
        self._show_line("update", text)

    def _show_line(self, name: str, text: str) -> None:
        # Some are set each second: the same text must not lay out the screen again.
        if text != self._texts.get(name, ""):
            self._texts[name] = text
            self.query_one(f"#{name}", Static).update(text)
            self.set_class(bool(text), f"-{name}")
