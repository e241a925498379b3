"""The configuration of the terminal: a TOML text with theme, editor and keys, and the mistakes in it.

A mistake is described with its line, and its setting has the default; the terminal starts in any case.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from server_core.runtime.suggestions import closest_name

SETTINGS = {
    "theme": "The theme of the terminal; it is also kept when you choose one in the palette.",
    "editor": "The command of your editor, in place of $VISUAL and $EDITOR.",
    "captures": "A table of limits beyond which old captures are deleted: max_count, max_size_mb and max_age_days.",
    "filters": "A table of filters of the Inspector, `NAME = FILTER`; in a filter, @NAME stands for one.",
    "keys": "A table of keys: `ACTION = KEYS`, or `PLACE.ACTION = KEYS` for one pane.",
}
"""Each setting, and its meaning."""
FILTER_NAME = re.compile(r"[\w-]+")
_TEXTS = ("theme", "editor")
_PART = re.compile(r"""[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*'""")
_NAME = re.compile(rf"\s*(?P<open>\[*)\s*(?P<name>(?:{_PART.pattern})(?:\s*\.\s*(?:{_PART.pattern}))*)\s*[=\]]")


@dataclass(frozen=True)
class TerminalConfig:
    """The settings of the terminal; empty texts for defaults."""

    theme: str = ""
    editor: str = ""
    keys: dict[str, str] = field(default_factory=dict)  # by an action's id, optionally after its place and a dot
    problems: tuple[str, ...] = ()
    key_lines: dict[str, int] = field(default_factory=dict, compare=False)  # the lines of the keys
    theme_line: int = field(default=0, compare=False)
    captures: dict[str, float] = field(default_factory=dict)  # the limits of captures
    filters: dict[str, str] = field(default_factory=dict)  # the saved filters of the Inspector, by name


def parse_config(text: str) -> TerminalConfig:
    if not text.strip():
        return TerminalConfig()
    # Imported late: most users have no such file, and this is read before the first paint.
    import tomllib

    from server_core.runtime.capture_limits import read_limits

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
        line = line_of(text, f"keys.{name}")
        if isinstance(value, str) and value.strip():
            keys[name] = value
            lines[name] = line
        else:
            problems.append(f'line {line}: the keys of {name} must be a text, such as "f9"')
    captures, mistakes = read_limits(data.get("captures", {}))
    problems += [f"line {line_of(text, f'captures.{name}'.rstrip('.'))}: {each}" for name, each in mistakes.items()]
    filters = _filters(text, data.get("filters", {}), problems)
    # TOML reads the keys of a pane together, wherever they are.
    keys = {name: keys[name] for name in sorted(keys, key=lines.__getitem__)}
    theme_line = line_of(text, "theme") if "theme" in texts else 0
    return TerminalConfig(
        texts.get("theme", ""), texts.get("editor", ""), keys, tuple(problems), lines, theme_line, captures, filters
    )


def _filters(text: str, table: object, problems: list[str]) -> dict[str, str]:
    """Return the saved filters that are valid, and add a problem for each other."""
    if not isinstance(table, dict):
        problems.append(f"line {line_of(text, 'filters')}: filters must be a table")
        return {}
    for name, value in table.items():
        if problem := filter_mistake(name, value, table):
            problems.append(f"line {line_of(text, f'filters.{name}')}: {problem}")
    return {name: value for name, value in table.items() if not filter_mistake(name, value, table)}


def filter_mistake(name: str, value: object, filters: Mapping[str, object]) -> str:
    """Return what is wrong with a saved filter, which may name others; empty if nothing is."""
    from workbench.model.traffic.filter_parser import parse_syntax
    from workbench.model.traffic.filter_tokens import FilterError

    if not FILTER_NAME.fullmatch(name):
        return f"the filter {name!r} needs a name of letters, digits, _ and -"
    if not isinstance(value, str) or not value.strip():
        return f'the filter {name} must be a text, such as "dur>1s"'
    try:
        parse_syntax(value, {other: text for other, text in filters.items() if isinstance(text, str)})
    except FilterError as error:
        return f"the filter {name}: {error}"
    return ""


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
    """Return the line that sets a name, counted from 1; else that of the table around it, or 1."""
    names = _line_names(text)
    while name:
        for number, other in names:
            if other == name or other.startswith(f"{name}."):
                return number
        name = name.rpartition(".")[0]
    return 1


def _line_names(text: str) -> list[tuple[int, str]]:
    """Return the lines that begin with a name, with the whole name: after that of its table."""
    names = []
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if (match := _NAME.match(line)) is None:
            continue
        name = ".".join(_read_part(part) for part in _PART.findall(match["name"]))
        if match["open"]:
            table = f"{name}."
            names.append((number, name))
        else:
            names.append((number, table + name))
    return names


def _read_part(part: str) -> str:
    """Return a part of a name as TOML reads it: a part in quotes may have escapes."""
    import tomllib

    try:
        return str(tomllib.loads(f"part = {part}")["part"]) if part[0] in "\"'" else part
    except tomllib.TOMLDecodeError:
        return part
