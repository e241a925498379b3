"""The configuration of the terminal: a TOML text with theme, editor and keys, and the mistakes in it.

A mistake is described with its line, and its setting has the default; the terminal starts in any case.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from server_core.runtime.suggestions import closest_name

SETTINGS = {
    "theme": "The theme of the terminal; it is also kept when you choose one in the palette.",
    "editor": "The command of your editor, in place of $VISUAL and $EDITOR.",
    "keys": "A table of keys: `ACTION = KEYS`, or `PLACE.ACTION = KEYS` for one pane.",
}
"""Each setting, and its meaning."""
_TEXTS = ("theme", "editor")


@dataclass(frozen=True)
class TerminalConfig:
    """The settings of the terminal; empty texts for defaults."""

    theme: str = ""
    editor: str = ""
    keys: dict[str, str] = field(default_factory=dict)  # by an action's id, optionally after its place and a dot
    problems: tuple[str, ...] = ()
    key_lines: dict[str, int] = field(default_factory=dict, compare=False)  # the lines of the keys


def parse_config(text: str) -> TerminalConfig:
    """Return the settings in a text."""
    if not text.strip():
        return TerminalConfig()
    # Imported late: most users have no such file, and this is read before the first paint.
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return TerminalConfig(problems=(f"{error}; the defaults are used",))
    problems = [_unknown(text, name) for name in data if name not in SETTINGS]
    texts = {}
    for name in _TEXTS:
        if isinstance(value := data.get(name, ""), str):
            texts[name] = value
        else:
            problems.append(f"line {line_of(text, name)}: {name} must be a text")
    keys: dict[str, str] = {}
    lines: dict[str, int] = {}
    table = data.get("keys", {})
    if not isinstance(table, dict):
        problems.append(f"line {line_of(text, 'keys')}: keys must be a table")
        table = {}
    for name, value in _flat(table):
        if isinstance(value, str) and value.strip():
            keys[name] = value
            lines[name] = line_of(text, name)
        else:
            problems.append(f'line {line_of(text, name)}: the keys of {name} must be a text, such as "f9"')
    return TerminalConfig(texts.get("theme", ""), texts.get("editor", ""), keys, tuple(problems), lines)


def _flat(table: dict[str, Any]) -> Iterable[tuple[str, object]]:
    # TOML reads the key `inspector.copy` as a table within the table.
    for name, value in table.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", member) for inner, member in value.items())
        else:
            yield name, value


def _unknown(text: str, name: str) -> str:
    close = closest_name(name, list(SETTINGS))
    guess = f"; did you mean {close}?" if close else f"; the settings are {', '.join(SETTINGS)}"
    return f"line {line_of(text, name)}: there is no setting {name}{guess}"


def line_of(text: str, name: str) -> int:
    """Return the line that sets a name or its last part, counted from 1; 1 if there is none."""
    last = re.escape(name.rpartition(".")[2])
    pattern = re.compile(rf"""\s*\[*\s*([\w-]+\s*\.\s*)*["']?([\w-]+\.)*{last}["']?\s*[=\].]""")
    return next((number for number, line in enumerate(text.splitlines(), start=1) if pattern.match(line)), 1)
