"""A user of `workbench demo` lists the tools, calls each kind, and answers their requests."""

from tests.commands import run
from tests.terminal.conftest import Open
from tests.terminal.demo import back_to_tree, open_offer, replace_json
from tests.terminal.terminal import Terminal


def test_tools_of_every_kind_are_called_and_an_invalid_value_is_reported(demo: Terminal) -> None:
    open_offer(demo, "greet", "Greet a guest", "Who to greet")
    demo.type("Ada")
    demo.press("ctrl+j")
    demo.expect("Hello, Ada!")
    demo.type("1\n2\n")
    demo.expect("2 ^j in a burst were ignored", "Ada12")
    back_to_tree(demo)

    open_offer(demo, "add", "Add two numbers", "The first number")
    demo.type("two")
    demo.press("tab")
    demo.expect("The second number", "whole number")
    demo.press("shift+tab", "backspace", "backspace", "backspace")
    demo.type("2")
    demo.press("tab")
    demo.expect_absent("whole number")
    demo.type("40")
    demo.press("ctrl+j")
    demo.expect("42")
    back_to_tree(demo)

    open_offer(demo, "order_dish", "Order a dish", "What to order")
    demo.type("cheesecake")
    demo.press("ctrl+j")
    demo.expect("TOOL_RUNTIME_RETRY", "Offer one of these instead")
    back_to_tree(demo)

    open_offer(demo, "menu", "What the kitchen offers")
    demo.press("ctrl+j")
    demo.expect("quiche: 6.00")


def test_questions_to_the_user_and_to_the_model_are_answered_and_a_long_call_is_cancelled(demo: Terminal) -> None:
    open_offer(demo, "choose_dessert", "Ask the guest")
    demo.press("ctrl+j")
    demo.expect("Requests (1)")
    demo.press("ctrl+g")
    demo.expect("Which dessert may we bring?", "spoons")
    demo.press("enter", "down", "enter", "ctrl+j")
    demo.expect("with 1 spoon(s).")
    back_to_tree(demo)

    open_offer(demo, "name_dish", "Let the client's language model", "What is in the dish")
    replace_json(demo)
    demo.type('{"ingredients": ["spinach"]}')
    demo.press("ctrl+j")
    demo.expect("Requests (1)")
    demo.press("ctrl+g")
    demo.expect("Name a dish of spinach.")
    demo.type("Green Cloud")
    demo.press("ctrl+j")
    demo.expect("On the menu today: Green Cloud")
    back_to_tree(demo)

    open_offer(demo, "brew", "Brew coffee cup by cup", "many cups")
    demo.press("ctrl+j")
    demo.expect("Cup 1 of 5")
    demo.press("ctrl+x")
    demo.expect("cancelled")


def test_everything_is_usable_on_a_small_screen(open_terminal: Open) -> None:
    terminal = open_terminal("demo", columns=80, rows=24)
    terminal.expect("greet", "count_words")
    open_offer(terminal, "greet", "Greet a guest", "Who to greet")
    terminal.type("Ada")
    terminal.press("ctrl+j")
    terminal.expect("Hello, Ada!")
    # One step back at a time: from the result to the form, from the form to the tree.
    terminal.press("escape", "escape")
    for key, text in {"2": "greet {", "3": "Requests", "4": "SUPPLIER_KEY", "5": "Problems", "6": "s1"}.items():
        terminal.press(key)
        terminal.expect(text)


def test_a_screen_that_is_too_small_shows_a_message(open_terminal: Open) -> None:
    open_terminal("demo", columns=40, rows=10).expect("This terminal is 40 x 10", "Make the window larger")


async def test_without_a_terminal_the_command_names_the_alternatives() -> None:
    code, out, err = await run("demo")
    assert (code, out) == (2, "")
    assert "workbench call" in err
