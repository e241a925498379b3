"""A user of `workbench demo` reads the wire, sets a secret, edits a file, quits and replays."""

import os
import stat
from pathlib import Path

from tests.commands import run
from tests.terminal.conftest import Open
from tests.terminal.demo import back_to_tree, open_offer, replace_json
from tests.terminal.terminal import Terminal


def demo_folder() -> Path:
    """Return the copy of the demo that `workbench demo` runs."""
    return Path(os.environ["WORKBENCH_HOME"]) / "demo"


def test_the_wire_shows_the_call_and_the_printed_lines(demo: Terminal) -> None:
    open_offer(demo, "print_receipt", "Print a receipt", "What was eaten")
    replace_json(demo)
    demo.type('{"items": ["soup", "coffee"], "price": 6.9}')
    demo.press("ctrl+j")
    demo.expect("Printed 2 lines.")
    back_to_tree(demo)
    demo.press("2")
    demo.expect("print_receipt {", "+3")
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

    open_offer(demo, "order_beans", "Order coffee beans", "kilos of coffee beans")
    demo.type("5")
    demo.press("ctrl+j")
    demo.expect("Ordered beans:5kg")
    back_to_tree(demo)
    demo.press("2", "G")
    demo.expect("order_beans {")
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
    terminal.expect("Let it run")
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
    open_offer(demo, "greet", "Greet a guest", "Who to greet")
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
