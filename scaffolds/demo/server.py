"""The server: its name, and what it offers besides tools.

The tools are in `tools/`, one file per idea; the workbench finds them there, and in any Python file beside this one.
`workbench serve` serves all of it to clients.
"""

from typing import Annotated

from server_core import MCPApp

app = MCPApp(
    name="workbench_demo",
    version="0.1.0",
    title="Café",
    instructions="Tools of a small café: greet guests, book tables, brew coffee. Read demo://menu before an order.",
)

MENU = {"soup": 4.5, "quiche": 6.0, "cheesecake": 3.8, "coffee": 2.4}

OCCASIONS = ("birthday", "wedding", "graduation", "retirement", "reunion")


@app.resource("demo://menu", mime_type="text/markdown")
def menu() -> str:
    """What the kitchen offers today, with prices in euros."""
    return "\n".join(["# Menu", *(f"- {dish}: {price:.2f}" for dish, price in MENU.items())])


@app.resource("demo://dishes/{dish}", mime_type="application/json")
def dish_details(dish: str) -> dict[str, str | float]:
    """One dish of the menu."""
    return {"dish": dish, "price": MENU[dish]}


def matching_occasions(typed: str) -> list[str]:
    """Complete what a user types for an occasion."""
    return [occasion for occasion in OCCASIONS if occasion.startswith(typed.lower())]


@app.prompt(completions={"occasion": matching_occasions})
def invitation(
    guest: Annotated[str, "Who is invited"],
    occasion: Annotated[str, "What is celebrated"],
) -> str:
    """Ask the model to write an invitation."""
    return f"Write a short, warm invitation for {guest} to celebrate a {occasion} at our café. Mention the cheesecake."
