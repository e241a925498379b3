"""The mistakes in the configuration that only the table of actions and the themes show, and the notice about all."""

import re

from server_core.runtime.suggestions import closest_name
from workbench.model.terminal_config import TerminalConfig
from workbench.tui.key_bindings import key_for
from workbench.tui.key_remapping import DEFAULTS, remapped

MISTAKES = "mistakes in config.toml"
"""The topic of the notice about them: it ends when the file has none any more."""


def config_mistakes(config: TerminalConfig) -> list[str]:
    """Return all mistakes in a configuration, each with its line."""
    theme = theme_mistake(config.theme, f"line {config.theme_line}")
    keys = remapped(DEFAULTS, config.keys, config.key_lines).problems
    return sorted([*config.problems, *([theme] if theme else []), *keys], key=_line_number)


def _line_number(mistake: str) -> int:
    match = re.match(r"line (\d+):", mistake)
    return int(match[1]) if match else 0


def theme_mistake(theme: str, where: str = "theme") -> str:
    """Return what is wrong with the name of a theme; empty if nothing is."""
    if not theme:
        return ""
    # Imported late: the terminal of most users has the default theme.
    from textual.theme import BUILTIN_THEMES

    if theme in BUILTIN_THEMES:
        return ""
    close = closest_name(theme, BUILTIN_THEMES)
    return f"{where}: there is no theme {theme!r}; " + (
        f"did you mean {close}?" if close else f"the themes are {', '.join(sorted(BUILTIN_THEMES))}"
    )


def mistakes_notice(mistakes: list[str]) -> str:
    """Return the notice: its first sentence is what its line shows, then each mistake has a line."""
    if not mistakes:
        return ""
    head = f"config.toml has {len(mistakes)} mistakes" if len(mistakes) > 1 else "config.toml has a mistake"
    mend = f"To mend this: {key_for('palette')} Edit config.toml, or `workbench config edit`."
    return "\n".join([f"{head}: {key_for('show_notices')} shows {'them' if mistakes[1:] else 'it'}.", *mistakes, mend])
