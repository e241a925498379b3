"""Steps that the tests of the demo share."""

from tests.terminal.terminal import Terminal

OFFERS = [
    "basics.py", "greet", "add", "kitchen.py", "brew", "order_dish", "print_receipt", "questions.py", "choose_dessert",
    "name_dish", "suppliers.py", "order_beans", "fetch_page", "tables.py", "book_table", "text.py", "count_words",
    "Resources", "menu", "dish_details", "Prompts", "invitation",
]  # fmt: skip
"""The rows of the tree, from the top, with those of the groups."""


def open_offer(terminal: Terminal, name: str, mark: str, help: str = "") -> None:
    """Go to a row of the tree, wait for a text of its form, go into the form, and wait for the help of its field."""
    terminal.press("1", "g")
    terminal.type("j" * OFFERS.index(name))
    terminal.expect(mark)
    terminal.press("enter")
    terminal.expect(help)


def replace_json(terminal: Terminal) -> None:
    """Switch from the form to its JSON, and clear it."""
    terminal.press("ctrl+t")
    terminal.expect("‹text›")
    terminal.press("alt+a", "delete")
    terminal.expect_absent("‹text›")
    terminal.expect_absent("}")


def back_to_tree(terminal: Terminal) -> None:
    """Leave the form."""
    terminal.press("escape")
