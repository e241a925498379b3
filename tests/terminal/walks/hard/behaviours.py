"""Tools that behave: ask, fail, print, run long, answer much; resources, templates and prompts."""

import asyncio
import sys
from typing import Any, Literal

from pydantic import BaseModel

from server_core import Context, prompt, resource, tool
from server_core.errors import RetryableToolError


class Order(BaseModel):
    dish: Literal["soup", "salad", "quiche"]
    number: int = 1
    note: str = ""


@tool
async def ask_form(context: Context) -> str:
    """Ask for a form."""
    answer = await context.ui.elicit("What shall it be?", Order)
    return f"{answer.action} {answer.content}"


@tool
async def ask_thrice(context: Context) -> list[str]:
    """Ask three times in a row."""
    return [(await context.ui.elicit(f"Question {number}?", Literal["yes", "no"])).action for number in range(3)]


@tool
async def ask_url(context: Context) -> str:
    """Ask for a visit."""
    return (await context.ui.elicit("Sign.", mode="url", url="https://sign.example/1", elicitation_id="1")).action


@tool
async def ask_model(text: str, context: Context) -> Any:
    """Ask the model."""
    return await context.sampling.create_message(text, max_tokens=50)


@tool
async def ask_roots(context: Context) -> str:
    """Ask for the folders."""
    return str(await context.roots.list())


@tool
def fail(how: Literal["plain", "chain", "retry", "long"] = "plain") -> str:
    """Fail in one of several ways."""
    if how == "retry":
        raise RetryableToolError("Try again.", additional_prompt_content="with another value")
    if how == "long":
        raise ValueError("A long story. " * 400)
    try:
        return str({}[how])
    except KeyError as error:
        if how == "chain":
            raise RuntimeError("It went wrong again.") from error
        raise


@tool
def prints(lines: int = 20) -> str:
    """Print lines to both streams, some of them hostile."""
    for number in range(min(lines, 500)):
        print(f"line {number} \x1b[31mred\x1b[0m [bold]b[/bold]", file=sys.stderr if number % 2 else sys.stdout)
    return "Printed."


@tool(execution={"taskSupport": "optional"})
async def long(context: Context, steps: int = 40) -> str:
    """Run for a while, with progress and log messages."""
    for step in range(min(steps, 100)):
        await context.progress.report(step, total=steps, message=f"step {step} 漢字")
        await context.log.info("a step", step=step)
        await asyncio.sleep(0.05)
    return "Done."


@tool
def much(kind: Literal["text", "list", "deep", "wide"] = "text") -> Any:
    """Answer with much."""
    match kind:
        case "text":
            return "All work and no play.\n" * 5_000
        case "list":
            return [{"number": number, "text": "x" * (number % 80)} for number in range(2_000)]
        case "wide":
            return "W" * 50_000 + "漢" * 1_000
        case _:
            value: Any = 0
            for _ in range(60):
                value = {"down": [value]}
            return value


@resource("hard://text")
def text() -> str:
    """Some text."""
    return "# Text\n\x1b[31m" + "A line.\n" * 200


@resource("hard://binary", mime_type="application/octet-stream")
def binary() -> bytes:
    """Some bytes."""
    return bytes(range(256)) * 20


@resource("hard://things/{kind}/{name*}")
def thing(kind: str, name: str) -> dict[str, str]:
    """A thing by its kind and name."""
    return {"kind": kind, "name": name}


@prompt
def story(hero: str, place: str = "a café") -> str:
    """Ask for a story."""
    return f"Write a story of {hero} in {place}."
