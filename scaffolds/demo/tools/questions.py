"""Tools that ask back while they run: the person (elicitation), and the client's language model (sampling)."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from server_core import Context, tool


class Dessert(BaseModel):
    """The form that the guest fills in."""

    dessert: Annotated[Literal["sorbet", "cheesecake", "fruit"], Field(description="What it shall be")]
    spoons: Annotated[int, Field(description="How many spoons to bring", ge=1, le=8)] = 1


@tool(annotations={"readOnlyHint": True})
async def choose_dessert(context: Context) -> str:
    """Ask the guest which dessert it shall be."""
    answer = await context.ui.elicit("Which dessert may we bring?", Dessert)
    if not answer.accepted:
        return "No dessert today."
    choice: Dessert = answer.value
    return f"One {choice.dessert} with {choice.spoons} spoon(s)."


@tool(annotations={"readOnlyHint": True})
async def name_dish(context: Context, ingredients: Annotated[list[str], "What is in the dish"]) -> str:
    """Let the client's language model think of a name for a dish."""
    reply = await context.sampling.create_message(
        f"Name a dish of {', '.join(ingredients)}. Answer with the name alone.",
        system_prompt="You write the menu of a small café.",
        max_tokens=30,
    )
    return f"On the menu today: {reply.text.strip()}"
