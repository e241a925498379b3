"""The matrix' server, written for the workbench: `workbench serve ours.py --stdio`."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from server_core import Audio, Context, EmbeddedResource, FatalToolError, Header, Image, MCPApp, ResourceLink

app = MCPApp("interop", "1.0.0", instructions="Tools that show every part of the protocol.", toolkit="")

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
COLOUR = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}

stopped = asyncio.Event()


@dataclass
class Weighed:
    """What a thing weighs."""

    item: str
    grams: int


@app.tool
def echo(text: str) -> str:
    """Repeat the text."""
    return text


@app.tool
def weigh(item: str) -> Weighed:
    """Weigh a thing."""
    return Weighed(item, 100 * len(item))


@app.tool
def fail() -> str:
    """Fail."""
    raise FatalToolError("The kettle is empty.")


@app.tool
def show() -> list[str | Image | Audio | EmbeddedResource | ResourceLink]:
    """Show every kind of content."""
    return [
        "A text.",
        Image(b"\x89PNG"),
        Audio(b"RIFF"),
        EmbeddedResource("interop://text", "A text.", "text/plain"),
        ResourceLink("interop://text", "text"),
    ]


@app.tool
async def steps(count: int, seconds: float, context: Context) -> str:
    """Work in some steps of so many seconds, and report each."""
    for step in range(1, count + 1):
        await context.progress.report(step, total=count, message=f"step {step}")
        await asyncio.sleep(seconds)
    return "Done."


@app.tool
async def log_messages(context: Context) -> str:
    """Log at four levels."""
    for level in ("debug", "info", "warning", "error"):
        await context.log.log(level, f"at {level}")
    return "Logged."


@app.tool
async def ask_name(context: Context) -> str:
    """Ask for a name."""
    answer = await context.ui.elicit("What is your name?", NAME)
    return f"Hello, {(answer.content or {})['name']}!" if answer.accepted else f"No name: {answer.action}."


@app.tool
async def ask_twice(context: Context) -> str:
    """Ask for a name, and then for a colour."""
    name = (await context.ui.elicit("What is your name?", NAME)).content or {}
    colour = (await context.ui.elicit("Which colour do you like?", COLOUR)).content or {}
    return f"{name['name']} likes {colour['colour']}."


@app.tool
async def visit(context: Context) -> str:
    """Send the user to a page."""
    answer = await context.ui.elicit("Please sign in.", mode="url", url="https://example.com/sign-in?state=1")
    return f"Visited: {answer.action}."


@app.tool
async def think(question: str, context: Context) -> str:
    """Ask the model."""
    return (await context.sampling.create_message(question, max_tokens=100)).text


@app.tool
async def folders(context: Context) -> str:
    """Name the client's folders."""
    return ", ".join(root["uri"] for root in await context.roots.list())


@app.tool
async def wait(context: Context) -> str:
    """Wait until stopped."""
    stopped.clear()
    await context.progress.report(1)
    try:
        await asyncio.Event().wait()
    finally:
        stopped.set()
    return "Never."


@app.tool
async def await_stop() -> str:
    """Return when the tool that waits was stopped."""
    await stopped.wait()
    return "Stopped."


@app.tool
async def touch(context: Context) -> str:
    """Change a resource."""
    await context.resources.updated("interop://text")
    return "Touched."


@app.tool
def grow() -> str:
    """Offer another tool."""
    app.tools.add(lambda: "Here.", name="grown", desc="Return where it is.")
    return "Grown."


@app.tool(execution={"taskSupport": "optional"})
async def brew() -> str:
    """Work for a while."""
    await asyncio.sleep(0.1)
    return "Brewed."


@app.tool(execution={"taskSupport": "optional"})
async def order(context: Context) -> str:
    """Work for a while, and ask for a name meanwhile."""
    answer = await context.ui.elicit("What is your name?", NAME)
    return f"Ordered for {(answer.content or {})['name']}."


@app.tool
def route(region: Annotated[str, "Where to", Header("Region")]) -> str:
    """Return the region of a header."""
    return f"To {region}."


@app.resource("interop://text", mime_type="text/plain")
def text() -> str:
    """A text."""
    return "A text."


@app.resource("interop://bytes", mime_type="application/octet-stream")
def some_bytes() -> bytes:
    """Some bytes."""
    return b"\x00\x01\xfe\xff"


@app.resource("interop://notes/{name}", mime_type="text/plain")
def note(name: str) -> str:
    """A note."""
    return f"Note {name}."


@app.prompt
def welcome(guest: str, language: str) -> str:
    """Welcome a guest."""
    return f"Welcome {guest} in {language}."


@app.completion("welcome", "language")
def languages(typed: str, known: dict[str, Any]) -> list[str]:
    """Propose languages."""
    return [item for item in ("Dansk", "Deutsch", "Suomi") if item.startswith(typed)]


if __name__ == "__main__":
    app.run()
