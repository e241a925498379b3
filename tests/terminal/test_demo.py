"""A user of `workbench demo`: lists the tools, calls each kind, answers, reads the wire, edits a file, quits."""

import os
import stat
from pathlib import Path

import pytest

from tests.commands import run
from tests.terminal.conftest import Open
from tests.terminal.terminal import Terminal

OFFERS = [
    "Tools", "choose_dessert", "name_dish", "greet", "add", "brew", "order_dish", "print_receipt", "order_beans",
    "fetch_page", "book_table", "count_words", "Resources", "demo://menu", "demo://dishes/{dish}", "Prompts",
    "invitation",
]  # fmt: skip
"""The rows of the tree, from the top."""


@pytest.fixture
def demo(open_terminal: Open) -> Terminal:
    """The terminal on the demo, with all tools visible."""
    terminal = open_terminal("demo")
    terminal.expect("✓ ready", *OFFERS)
    return terminal


def demo_folder() -> Path:
    """Return the copy of the demo that `workbench demo` runs."""
    return Path(os.environ["WORKBENCH_HOME"]) / "demo"


def open_offer(terminal: Terminal, name: str, mark: str) -> None:
    """Go to a row of the tree, wait for a text of its form, and go into the form."""
    terminal.press("1", "g", *("j" for _ in range(OFFERS.index(name))))
    terminal.expect(mark)
    terminal.press("enter")


def replace_json(terminal: Terminal) -> None:
    """Switch from the form to its JSON, and clear it."""
    terminal.press("ctrl+t")
    terminal.expect("{}")
    terminal.press("delete", "delete")
    terminal.expect_absent("{}")


def back_to_tree(terminal: Terminal) -> None:
    """Leave the form."""
    terminal.press("escape")


def test_tools_of_every_kind_are_called(demo: Terminal) -> None:
    open_offer(demo, "greet", "Who to greet")
    demo.type("Ada")
    demo.press("ctrl+j")
    demo.expect("Hello, Ada!")
    back_to_tree(demo)

    open_offer(demo, "add", "The second number")
    demo.type("2")
    demo.press("tab")
    demo.type("40")
    demo.press("ctrl+j")
    demo.expect("42")
    back_to_tree(demo)

    open_offer(demo, "order_dish", "What to order")
    demo.type("cheesecake")
    demo.press("ctrl+j")
    demo.expect("TOOL_RUNTIME_RETRY", "Offer one of these instead")
    back_to_tree(demo)

    open_offer(demo, "demo://menu", "What the kitchen offers")
    demo.press("ctrl+j")
    demo.expect("quiche: 6.00")


def test_an_invalid_value_is_reported_at_the_field(demo: Terminal) -> None:
    open_offer(demo, "add", "The second number")
    demo.type("two")
    demo.press("tab")
    demo.expect("whole number")


def test_a_question_to_the_user_is_answered(demo: Terminal) -> None:
    open_offer(demo, "choose_dessert", "Ask the guest")
    demo.press("ctrl+j")
    demo.expect("Requests (1)")
    demo.press("ctrl+g")
    demo.expect("Which dessert may we bring?", "spoons")
    demo.press("enter", "down", "enter", "ctrl+j")
    demo.expect("with 1 spoon(s).")


def test_a_question_to_the_model_is_answered(demo: Terminal) -> None:
    open_offer(demo, "name_dish", "What is in the dish")
    replace_json(demo)
    demo.type('{"ingredients": ["spinach"]}')
    demo.press("ctrl+j")
    demo.expect("Requests (1)")
    demo.press("ctrl+g")
    demo.expect("Name a dish of spinach.")
    demo.type("Green Cloud")
    demo.press("ctrl+j")
    demo.expect("On the menu today: Green Cloud")


def test_a_long_call_is_cancelled(demo: Terminal) -> None:
    open_offer(demo, "brew", "How many cups")
    demo.press("ctrl+j")
    demo.expect("Cup 1 of 5")
    demo.press("ctrl+x")
    demo.expect("cancelled")


def test_the_wire_shows_the_call_and_the_printed_lines(demo: Terminal) -> None:
    open_offer(demo, "print_receipt", "What was eaten")
    replace_json(demo)
    demo.type('{"items": ["soup", "coffee"], "price": 6.9}')
    demo.press("ctrl+j")
    demo.expect("Printed 2 lines.")
    back_to_tree(demo)
    demo.press("2")
    demo.expect("tools/call print_receipt", "total 6.90 EUR")
    demo.press("g")
    demo.expect("server/discover", "session_opened")
    demo.press("/")
    demo.type("kind:stdout")
    demo.expect_absent("session_opened")
    demo.expect("total 6.90 EUR")


def test_the_secret_is_set_used_and_never_shown(demo: Terminal) -> None:
    demo.press("4")
    demo.expect("SUPPLIER_KEY", "missing")
    demo.press("enter")
    demo.expect("Set SUPPLIER_KEY")
    demo.type("s3cret-bean-key")
    demo.press("enter")
    demo.expect("✓ set")
    env = demo_folder() / ".env"
    assert "s3cret-bean-key" in env.read_text(encoding="utf-8")
    assert stat.S_IMODE(env.stat().st_mode) == 0o600

    open_offer(demo, "order_beans", "How many kilos")
    demo.type("5")
    demo.press("ctrl+j")
    demo.expect("Ordered beans:5kg")
    back_to_tree(demo)
    demo.press("2", "G")
    demo.expect("tools/call order_beans")
    captures = [
        path.read_bytes() for path in Path(os.environ["WORKBENCH_HOME"], "captures").rglob("*") if path.is_file()
    ]
    assert captures
    assert not [capture for capture in captures if b"s3cret-bean-key" in capture]
    assert "s3cret-bean-key" not in demo.history


def test_a_saved_file_is_served_and_a_mistake_is_shown(demo: Terminal) -> None:
    file = demo_folder() / "tools" / "extra.py"
    good = 'from server_core import tool\n\n\n@tool\ndef wave() -> str:\n    """Wave."""\n    return "o/"\n'
    file.write_text(good, encoding="utf-8")
    demo.expect("wave")
    file.write_text(good.replace("return", "retrun"), encoding="utf-8")
    demo.expect("Problems (1)")
    demo.press("5")
    demo.expect("extra.py", "retrun")
    demo.press("1")
    demo.expect("wave")
    file.write_text(good, encoding="utf-8")
    demo.expect_absent("Problems (1)")


async def test_leaving_stops_the_core_or_detaches(open_terminal: Open) -> None:
    terminal = open_terminal("demo")
    terminal.expect("✓ ready")
    terminal.press("q")
    terminal.expect("Leave it running")
    terminal.press("l")
    assert terminal.expect_end() == 0
    code, out, _ = await run("ps")
    assert code == 0
    assert "demo" in out

    again = open_terminal("attach")
    again.expect("✓ ready", "greet")
    again.press("q")
    again.expect("Stop the core")
    again.press("s")
    assert again.expect_end() == 0
    _, out, _ = await run("ps")
    assert "demo" not in out


async def test_a_capture_of_the_terminal_replays_without_differences(demo: Terminal) -> None:
    open_offer(demo, "greet", "Who to greet")
    demo.type("Ada")
    demo.press("ctrl+j")
    demo.expect("Hello, Ada!")
    back_to_tree(demo)
    demo.press("q")
    demo.expect("Stop the core")
    demo.press("s")
    assert demo.expect_end() == 0
    [capture] = Path(os.environ["WORKBENCH_HOME"], "captures").glob("*.capture")
    code, out, err = await run("replay", str(capture), "--project", str(demo_folder()))
    assert code == 0, out + err


def test_everything_is_usable_on_a_small_screen(open_terminal: Open) -> None:
    terminal = open_terminal("demo", columns=80, rows=24)
    terminal.expect("greet", "count_words")
    open_offer(terminal, "greet", "Greet a guest")
    terminal.expect("Who to greet")
    terminal.type("Ada")
    terminal.press("ctrl+j")
    terminal.expect("Hello, Ada!")
    # One step back at a time: from the result to the form, from the form to the tree.
    terminal.press("escape", "escape")
    for key, text in {"2": "tools/call", "3": "Requests", "4": "SUPPLIER_KEY", "5": "Problems", "6": "s1"}.items():
        terminal.press(key)
        terminal.expect(text)


def test_a_screen_that_is_too_small_shows_a_message(open_terminal: Open) -> None:
    open_terminal("demo", columns=40, rows=10).expect("This terminal is 40 x 10", "Make the window larger")


async def test_without_a_terminal_the_command_names_the_alternatives() -> None:
    code, out, err = await run("demo")
    assert (code, out) == (2, "")
    assert "workbench call" in err
