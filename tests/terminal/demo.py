"""Steps that the tests of the demo share."""

from tests.terminal.terminal import Terminal

OFFERS = [
    "Tools", "choose_dessert", "name_dish", "greet", "add", "brew", "order_dish", "print_receipt", "order_beans",
    "fetch_page", "book_table", "count_words", "Resources", "demo://menu", "demo://dishes/{dish}", "Prompts",
    "invitation",
]  # fmt: skip
"""The rows of the tree, from the top."""


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
