"""The colours of the application: a theme that the configuration names or the user chooses, made readable."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.dom import DOMNode
from textual.screen import Screen

from server_core.errors import ConfigurationError
from workbench.tui.readable_colours import readable_colours
from workbench.tui.terminal_colours import with_nearest_colours
from workbench.tui.typed_ahead import TypedAheadApp

if TYPE_CHECKING:
    from textual.filter import LineFilter


class ThemedApp(TypedAheadApp):
    """An app whose theme is stored when the user chooses another."""

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        # In place: Textual keeps this dictionary for the styles that are made in code.
        variables.update(readable_colours(variables, self.console.color_system))
        return variables

    def get_line_filters(self) -> "Sequence[LineFilter]":
        return with_nearest_colours(super().get_line_filters(), self.console.color_system)

    def update_styles(self, node: DOMNode, animate: bool = True) -> None:
        # A widget gets its styles when it is mounted; Textual would also compute them for each class set before.
        if node.parent is not None or node is self:
            super().update_styles(node, animate)

    def watch_theme_choice(self) -> None:
        """Store each theme that is chosen from now on."""
        self.watch(self, "theme", self._theme_chosen, init=False)

    def use_theme(self, theme: str) -> None:
        """Use the theme of the configuration; an unknown one is a mistake in it, and changes nothing."""
        if theme in self.available_themes:
            self.theme = theme

    def _theme_chosen(self, theme: str) -> None:
        from workbench.workspace.config_file import write_setting

        try:
            write_setting("theme", theme)
        except ConfigurationError as error:
            self.notify(f"The theme is not kept: {error}", title="theme", severity="warning", markup=False)

    def search_themes(self) -> None:
        from textual.theme import ThemeProvider

        from workbench.tui.palette import Palette

        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        # Textual's other commands have their counterparts in the table of actions.
        titles = ("Theme", "Screenshot")
        return (command for command in super().get_system_commands(screen) if command.title in titles)
