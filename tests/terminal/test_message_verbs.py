"""The verbs of the Inspector at the keyboard, on the demo and on a server that others wrote."""

import pytest

from tests.terminal.conftest import Open
from tests.terminal.walks.modes import foreign_server


@pytest.mark.timeout(120)
@pytest.mark.parametrize("tool", ["greet", "echo"])
def test_a_call_is_sent_again_commented_unfolded_held_released_and_changed(tool: str, open_terminal: Open) -> None:
    is_demo = tool == "greet"
    terminal = open_terminal("demo") if is_demo else open_terminal("open", "--", *foreign_server())
    terminal.expect("✓ ready", tool)
    terminal.press("/")
    terminal.type(tool)
    terminal.press("enter", "enter")
    terminal.expect("^j run")
    terminal.type("Ada")
    terminal.press("ctrl+j")
    terminal.expect("✓ ok", "#1")

    terminal.press("escape", "alt+2")
    terminal.expect("Calls", "Detail")
    terminal.press("/")
    terminal.type(f"tool:{tool} $.params.arguments exists")
    terminal.press("enter")
    terminal.expect("1 of ", "Calls a tool")
    terminal.press("r")
    terminal.expect("2 of ", "Against the answer to", "the same")

    terminal.press("B")
    terminal.expect("comment")
    terminal.type("looks right")
    terminal.press("enter")
    terminal.expect("looks right")
    terminal.press("right")
    terminal.expect("├ ", "└ ", "+0.0 ms")
    terminal.press("left")
    terminal.expect_absent("+0.0 ms")

    terminal.press("i")
    terminal.expect("Hold messages")
    terminal.type(f"tool:{tool} dir:in")
    terminal.press("enter")
    terminal.expect("‖ hold")
    terminal.press("r")
    terminal.expect("1 message held")
    terminal.press("I")
    terminal.expect("Held messages", "client waits")
    terminal.press("r")
    terminal.expect("No message is held.")
    terminal.press("x")
    terminal.expect_absent("‖ hold")
    terminal.press("escape")
    terminal.expect("3 of ")

    terminal.press("E")
    terminal.expect("and send it", '"Ada"')
    terminal.press("ctrl+j")
    terminal.expect("4 of ", "Against the answer to")
