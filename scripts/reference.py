"""Write the pages that are generated from the code: `docs/commands.md`, `docs/keys.md` and `docs/settings.md`.

With `--check` nothing is written: exits with 1 if a page is out of date.
"""

import sys
from collections.abc import Iterator
from dataclasses import Field
from pathlib import Path
from typing import Any

import typer.main

DOCS = Path(__file__).parents[1] / "docs"
MADE = "<!-- Made by scripts/reference.py: change the code and run `make docs`. -->\n"

SETTINGS = """
# Settings

Each setting has a `WORKBENCH_…` name. A setting that Arcade's framework also has can be given by Arcade's name too,
with Arcade's unit and limits. Settings are read when a core starts: from the environment, then from the project's
`.env`, which is searched for from the project's folder upwards to the nearest `pyproject.toml` and no further. The
environment has precedence over `.env`, and within each of them the `WORKBENCH_…` name has precedence over Arcade's. The
defaults are those of the workbench, whichever name is used. A relative path is resolved against the folder of the
`.env` that contains it, or against the working directory if it comes from the environment.

`workbench settings` shows each setting with its value and its source, and the variables that look like settings but are
not. It accepts the options of `workbench serve` that set the same values, such as `--name` or `--debug`; these have
precedence over both. It also shows the values that the code sets, such as `MCPApp(name="shop")`, and the variables that
have no effect because of them. If a value is outside its limits, a command ends with a one-sentence error and exit code
2.
""".strip()


def main(arguments: list[str]) -> int:
    """Write the pages, or check them, and return the exit code."""
    pages = {"commands.md": commands_page(), "keys.md": keys_page(), "settings.md": settings_page()}
    stale = [name for name, text in pages.items() if not _holds(DOCS / name, text)]
    if "--check" in arguments:
        print("".join(f"docs/{name} does not match the code; run `make docs`\n" for name in stale), end="")
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).write_text(pages[name], encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


def commands_page() -> str:
    """Return the page about the command line."""
    from workbench.cli.command_parser import app

    root = typer.main.get_command(app)
    parts = [MADE, "# Commands\n", *(_command(name, command) for name, command in walk("workbench", root))]
    return "\n".join(parts)


def settings_page() -> str:
    """Return the page about the settings, from their docstrings."""
    from dataclasses import fields

    from server_core.settings.other_variables import OTHERS, UNSUPPORTED
    from server_core.settings.table import Settings

    lines = [MADE, SETTINGS, "", "| names | default | limits | meaning |", "|---|---|---|---|"]
    lines += [_setting(setting) for setting in fields(Settings)]
    lines += [
        "",
        "## Other variables\n",
        "These variables are read only from the environment.\n",
        "| variable | meaning |",
        "|---|---|",
    ]
    lines += [f"| `{name}` | {_text(text)} |" for name, text in OTHERS.items()]
    lines += [
        "",
        "## Arcade's variables that have no effect\n",
        "| variable | not supported, because |",
        "|---|---|",
    ]
    lines += [f"| `{name}` | {_text(why)} |" for name, why in UNSUPPORTED.items()]
    return "\n".join([*lines, ""])


def _setting(setting: "Field[Any]") -> str:
    from server_core.settings.setting import facts_of, variables_of
    from server_core.settings.values import describe_limits

    facts, default = facts_of(setting), "" if setting.default in ("", None) else f"`{setting.default}`"
    names = "<br>".join(f"`{variable.name}`" for variable in variables_of(setting))
    allowed = "<br>".join(dict.fromkeys(describe_limits(facts, variable) for variable in variables_of(setting)))
    return f"| {names} | {default} | {_text(allowed)} | {_text(facts.meaning)} |"


def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield a command of click's kind and all commands below it, with the words that call them."""
    yield name, command
    for word, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield from walk(f"{name} {word}", below)


def _command(name: str, command: Any) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    records = [parameter.get_help_record(context) for parameter in command.params]
    lines = [f"## `{name}`\n", _text(command.help), ""]
    if shown := [record for record in records if record is not None]:
        lines += ["| | |", "|---|---|"]
        lines += [f"| `{_text(call)}` | {_text(help_text)} |" for call, help_text in shown]
        lines.append("")
    return "\n".join(lines)


def _text(help_text: str | None) -> str:
    return " ".join((help_text or "").replace("|", "\\|").split())


def keys_page() -> str:
    """Return the page about the screens and their keys."""
    from workbench.model.traffic import filter as filters
    from workbench.tui.actions import EVERYWHERE, PLACES, actions_of
    from workbench.tui.key_bindings import keys_label
    from workbench.tui.screens.focus_keys import CALL_KEYS, MOUSE, VIEW_KEYS

    parts = [MADE, "# Screens and keys\n"]
    for place, title in {EVERYWHERE: "Everywhere", **PLACES}.items():
        parts += [f"## {title}\n", "| key | does |", "|---|---|"]
        parts += [f"| {_keys(keys_label(action))} | {action.help} |" for action in actions_of(place)]
        parts.append("")
    forms = """
Letters, signs and digits are text wherever the focus is in a form, and never commands; `esc` leaves it. Only on its
buttons, and on the choice of the view above it, digits show a screen, and in an empty field of a number `/` searches
the tools. `enter` goes to the next field, opens a group and goes to its first field, closes an open group, and adds an
item to a list. Typing on an empty list or on `+ add` starts an item with what is typed; typing on a group without a
value opens it, and goes into its first field or key. `up` and `down` go to the field before or after, except in a text
of several rows, a list of boxes and a drop-down, which they open. `left`, `right` and the space bar choose, and a
letter chooses the next choice in the row that begins with it; choices that do not fit in a row go on in the next, and a
constant is only shown.
On a choice of alternatives, a digit begins the number among them. While you write, the first alternative that accepts
the whole text is chosen, numbers first and texts last (`1, 2` is a list where there is one), until you pick one
yourself. Where a key can write nothing, the help below the form shows the keys that act. The text of a field of one row
is selected when the keyboard comes to it: what is typed replaces it, and the arrows keep it. A required text that is
emptied is missing again, and an optional date, or another text whose format is never empty, is omitted; `alt+o` sends
them empty. A key of a map needs a value: `alt+o` sends an empty one, `^r` removes the key.

`enter` on a required choice in a row, without a value, marks it and stays there; `enter` again or `tab` goes on. In the
open list of a drop-down, typed text searches; `enter` takes the marked value, and `esc` restores the value before. `^j`
takes the marked value too, and closes the list. A text that matches no choice is a problem of its field, as a word in
the field of a number is, also after `tab`: the field shows it with the choices, and it is only sent when `^j` is
pressed again. Among alternatives, such a text is a value, also with `enter`: the alternative that accepts it is chosen
and filled in.

A list of texts, numbers or choices is written on one line: `1, 2, 3`. A text with a comma, or with space around it, is
written in quotation marks, as in JSON: `tea, "milk, warm"`. A pasted JSON list or the lines of a pasted text become the
items. `alt+l` gives each item its own row. `^r`, `alt+up` and `alt+down` act on the item at the cursor.

`^space` opens the values of earlier calls and of the schema, and the choices of an enumeration; typed letters search in
them. In a date or a time `^space` opens a calendar: the arrows move by days and weeks, `pgup` and `pgdn` by months,
`ctrl+pgup` and `ctrl+pgdn` by years; `t` is today, `tab` goes to the hours, minutes and seconds; `^space` again lists
the values. The help of the field in focus is below the form.

`@path` in a text field stands for the content of a file: its text, or base64 where the schema requires bytes
(`contentEncoding: base64`, or the format `byte` or `binary`). The path begins in the folder in which the terminal was
started, or with `~/`. The file is read when the form is sent or its JSON is shown, and has at most 4 MB. `^space`
completes the path. A text that begins with `@` is typed with `@@`; a text of several lines is never a path.

`^/` searches a field by its name and goes there, also in closed groups and among folded optional fields; its text is
selected. Many terminals send it as `^_`.

`alt+a` selects the whole text of a field of several lines, or of the JSON.

`^j` sends the form, with all that was typed before. A terminal also sends it for the line feeds of a paste that is not
bracketed, as by `tmux paste-buffer -r`. So a `^j` within 40 or more characters that the terminal delivers at once, of
lines that are not very short, is a new line of the text; in a text of one row, such as a number, it is a space. Within
fewer, which you may have typed while the machine was busy, it is refused, as at the end of such a paste: nothing is
sent, no text is added, and a notice states how many were ignored. Of several at the end of one line, the first sends. A
form with problems is sent all the same when you press `^j` again, 0.3 s or more after they were shown.
""".strip()
    lists = "`j` `k` or the arrows move, `g` `G` go to the ends, page keys by a page; the mouse does all of it."
    parts += [
        "## Forms\n",
        forms,
        "",
        "## Lists\n",
        lists,
        "",
        "In the calls of the Inspector:\n",
        "| key | does |",
        "|---|---|",
        *(f"| {_keys(keys)} | {text} |" for keys, text in CALL_KEYS),
        "",
        "## Results and messages\n",
        "These keys act while the result of a call, or the detail of a message, has the focus.\n",
        "| key | does |",
        "|---|---|",
        *(f"| {_keys(keys)} | {text} |" for keys, text in VIEW_KEYS),
        "",
        "## Mouse\n",
        "| mouse | does |",
        "|---|---|",
        *(f"| {keys} | {text} |" for keys, text in MOUSE),
        "",
        "## The filter of the Inspector\n",
        "```",
        (filters.__doc__ or "").strip(),
        "```",
        "",
    ]
    return "\n".join(parts)


def _keys(label: str) -> str:
    return " ".join(f"`{key}`" for key in label.split())


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
