"""What takes time, what can run out, and what prints."""

import asyncio
from typing import Annotated

from pydantic import Field

from server_core import Context, tool
from server_core.errors import RetryableToolError

_STOCK = {"soup": 12, "quiche": 4, "cheesecake": 0}


@tool(annotations={"destructiveHint": False})
async def brew(
    context: Context,
    cups: Annotated[int, Field(description="How many cups", ge=1, le=50)] = 5,
    seconds_per_cup: Annotated[float, Field(description="How long one cup takes", ge=0, le=10)] = 0.5,
) -> str:
    """Brew coffee cup by cup; reports progress, and stops at once when it is cancelled."""
    for cup in range(1, cups + 1):
        await asyncio.sleep(seconds_per_cup)
        await context.progress.report(cup, total=cups, message=f"Cup {cup} of {cups}")
    return f"{cups} cups are ready."


@tool(annotations={"destructiveHint": False})
def order_dish(dish: Annotated[str, "What to order: soup, quiche or cheesecake"]) -> str:
    """Order a dish; one that is sold out or unknown is an error that the agent can act on."""
    if _STOCK.get(dish, 0) > 0:
        return f"One {dish} is on its way."
    left = ", ".join(name for name, count in _STOCK.items() if count)
    raise RetryableToolError(
        f"There is no {dish} left.",
        developer_message=f"stock: {_STOCK}",
        additional_prompt_content=f"Offer one of these instead: {left}.",
    )


@tool(annotations={"destructiveHint": False})
def print_receipt(
    items: Annotated[list[str], "What was eaten and drunk"],
    price: Annotated[float, Field(description="The sum, in euros", ge=0)],
) -> str:
    """Print a receipt to standard output, which never reaches the wire: see the Inspector for what was printed."""
    for item in items:
        print(f"  {item}")
    print(f"  total {price:.2f} EUR")
    return f"Printed {len(items)} lines."
