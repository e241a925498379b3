"""The line that stands for the optional fields of a group; Enter, the space bar or a click shows them."""

from textual import events
from textual.content import Content
from textual.message import Message

from workbench.model.forms.field import Field
from workbench.model.short_text import escaped
from workbench.tui.colours import KEY, MUTED
from workbench.tui.widgets.laid_out_once import LaidOutOnce


class OptionalFields(LaidOutOnce, can_focus=True):
    """Its keys are bound by the form, which handles them in the order in which they are pressed."""

    DEFAULT_CSS = """
    OptionalFields { height: 1; padding-left: 2; }
    OptionalFields:focus { background: $block-cursor-background 30%; }
    """

    class Opened(Message):
        """The user wants to see the fields."""

        def __init__(self, line: "OptionalFields") -> None:
            super().__init__()
            self.line = line

    def __init__(self) -> None:
        super().__init__()
        self.fields: list[Field] = []

    def show(self, fields: list[Field]) -> None:
        """Stand for these fields; without any, there is no line."""
        self.fields = fields
        self.display = bool(fields)
        self.refresh()

    def render(self) -> Content:
        names = ", ".join(escaped(field.name) for field in self.fields)
        text = Content.assemble((f"+ {len(self.fields)} optional", KEY), (f"  {names}", MUTED))
        return text.truncate(self.size.width, ellipsis=True)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Opened(self))
