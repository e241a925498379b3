"""A day at the terminal: open a project, call a tool by keyboard alone, answer it, change it, and return to it."""

from pathlib import Path

import pytest

from tests.terminal.conftest import Open
from tests.terminal.terminal import Terminal

_TOOLS = '''"""Tools for a menu."""

from dataclasses import dataclass

from server_core import Context, tool


@dataclass
class Place:
    """Where the menu is served."""

    city: str
    seats: int = 4


@dataclass
class Course:
    """What is served with the dishes."""

    wine: str


@tool
async def plan_menu(context: Context, dishes: list[str], note: str, place: Place | None = None) -> list[dict[str, str]]:
    """Plan a menu."""
    print(f"planning {len(dishes)} dishes in {len(note.splitlines())} lines")
    answer = await context.ui.elicit("Which wine?", Course)
    wine = answer.value.wine if answer.accepted else "none"
    return [{"dish": dish, "wine": wine, "city": place.city if place else ""} for dish in dishes]
'''


@pytest.fixture
def menu(tmp_path: Path) -> Path:
    tools = tmp_path / "menu" / "tools.py"
    tools.parent.mkdir()
    tools.write_text(_TOOLS, encoding="utf-8")
    return tools


def answer_the_question(terminal: Terminal, wine: str, run: str) -> None:
    terminal.expect("Which wine?")
    terminal.press("ctrl+g")
    terminal.expect("esc goes back")
    terminal.type(wine)
    terminal.expect(wine)
    terminal.press("ctrl+j")
    terminal.expect("✓ ok", run)


def leave_and_stop(terminal: Terminal) -> None:
    terminal.press("escape", "escape", "q")
    terminal.expect("Stop the core")
    terminal.press("s")
    assert terminal.expect_end() == 0


@pytest.mark.timeout(120)
def test_a_tool_is_called_changed_and_called_again_after_a_restart(menu: Path, open_terminal: Open) -> None:
    terminal = open_terminal(str(menu.parent))
    terminal.expect("✓ ready", "plan_menu")

    terminal.press("/")
    terminal.type("plmenu")
    terminal.expect("1/1")
    terminal.press("enter", "enter")
    terminal.expect("^j run")

    # A list, a text of five lines, and an optional model.
    terminal.type("soup, bread")
    terminal.press("tab")
    for line in ("one", "two", "three", "four"):
        terminal.type(line)
        terminal.press("ctrl+l")
    terminal.type("five")
    terminal.press("tab", "enter")
    terminal.expect("city")
    terminal.type("Oslo")
    terminal.press("ctrl+j")
    answer_the_question(terminal, "red", "#1")

    # The focus is in the form again, where a bracket is a text.
    terminal.press("escape", "]")
    terminal.expect("planning 2 dishes in 5", "Which wine?")

    terminal.press("r")
    answer_the_question(terminal, "white", "#2")
    terminal.press("]", "]")
    terminal.expect('"red" → "white"')

    menu.write_text(_TOOLS.replace("note: str,", "note: str, guests: int,"), encoding="utf-8")
    terminal.expect("breaking for callers")
    terminal.press("alt+i")
    terminal.expect("guests", "required")

    leave_and_stop(terminal)
    again = open_terminal(str(menu.parent))
    again.expect("✓ ready", "plan_menu", "Oslo", "guests")
    again.press("h")
    again.expect("plan_menu dishes=")
