"""What the column of the result shows before the first run of an offer: what will be here, and with which keys."""

from textual.content import Content
from textual.widgets import Static

from workbench.model.catalog import OfferKind
from workbench.tui.colours import KEY, MUTED
from workbench.tui.key_bindings import key_for

_RUNS = {
    OfferKind.TOOL: ("runs the tool in the form", "what the tool returns"),
    OfferKind.PROMPT: ("gets the prompt in the form", "the messages of the prompt"),
}
_READS = ("reads the resource", "its content")


class NoRun(Static):
    """The keys that run an offer and show its views."""

    DEFAULT_CSS = """
    NoRun { height: auto; padding: 1 1 0 1; color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show_kind(self, kind: OfferKind) -> None:
        runs, result = _RUNS.get(kind, _READS)
        views = {
            "Result": result,
            "Log": "prints, logs and progress",
            "Raw": "its messages on the wire",
            "Diff": "what differs from before",
        }
        rows = [
            ("enter", "goes to the form"),
            (key_for("run", "tools"), runs),
            (key_for("next_tab", "tools"), "shows the next view of the call:"),
            *(("", f"{name:<7} {text}") for name, text in views.items()),
            (key_for("toggle_history", "tools"), "shows past calls"),
        ]
        self.update(Content("\n").join(_row(*row) for row in rows))


def _row(key: str, text: str) -> Content:
    return Content.assemble((f"{key:<7}", KEY), (text, MUTED))
