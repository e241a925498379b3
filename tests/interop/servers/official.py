"""The matrix' server, written for the official Python SDK."""

import asyncio
import sys
from typing import Annotated, Any

import mcp_types as types
from mcp.server import MCPServer
from mcp.server.mcpserver import (
    AcceptedElicitation,
    Audio,
    Context,
    Elicit,
    ElicitationResult,
    Image,
    ListRoots,
    Resolve,
    Sample,
)
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

server = MCPServer("interop", version="1.0.0", instructions="Tools that show every part of the protocol.")

PAGE = "https://example.com/sign-in?state=1"
STATELESS = "2026-07-28"

stopped = asyncio.Event()


class Weighed(BaseModel):
    """What a thing weighs."""

    item: str
    grams: int


class Name(BaseModel):
    """A form for a name."""

    name: str


class Colour(BaseModel):
    """A form for a colour."""

    colour: str


@server.tool()
def echo(text: str) -> str:
    """Repeat the text."""
    return text


@server.tool()
def weigh(item: str) -> Weighed:
    """Weigh a thing."""
    return Weighed(item=item, grams=100 * len(item))


@server.tool()
def fail() -> str:
    """Fail."""
    raise ToolError("The kettle is empty.")


@server.tool(structured_output=False)
def show() -> list[Any]:
    """Show every kind of content."""
    resource = types.TextResourceContents(uri="interop://text", text="A text.", mime_type="text/plain")
    return [
        "A text.",
        Image(data=b"\x89PNG", format="png"),
        Audio(data=b"RIFF", format="wav"),
        types.EmbeddedResource(resource=resource),
        types.ResourceLink(uri="interop://text", name="text"),
    ]


@server.tool()
async def steps(count: int, seconds: float, context: Context) -> str:
    """Work in some steps of so many seconds, and report each."""
    for step in range(1, count + 1):
        await context.report_progress(step, count, f"step {step}")
        await asyncio.sleep(seconds)
    return "Done."


@server.tool()
async def log_messages(context: Context) -> str:
    """Log at four levels."""
    for level in ("debug", "info", "warning", "error"):
        await context.log(level, f"at {level}")
    return "Logged."


def name_wanted() -> Elicit[Name]:
    """Ask for a name."""
    return Elicit("What is your name?", Name)


def colour_wanted(name: Annotated[Name, Resolve(name_wanted)]) -> Elicit[Colour]:
    """Ask for a colour, once there is a name."""
    return Elicit(f"Which colour do you like, {name.name}?", Colour)


@server.tool()
async def ask_name(answer: Annotated[ElicitationResult[Name], Resolve(name_wanted)]) -> str:
    """Ask for a name."""
    if isinstance(answer, AcceptedElicitation):
        return f"Hello, {answer.data.name}!"
    return f"No name: {answer.action}."


@server.tool()
async def ask_twice(
    name: Annotated[Name, Resolve(name_wanted)], colour: Annotated[Colour, Resolve(colour_wanted)]
) -> str:
    """Ask for a name, and then for a colour."""
    return f"{name.name} likes {colour.colour}."


@server.tool()
async def visit(context: Context) -> str | types.InputRequiredResult:
    """Send the user to a page."""
    if context.protocol_version != STATELESS:
        return f"Visited: {(await context.elicit_url('Please sign in.', PAGE, 'sign-in-1')).action}."
    if context.input_responses is not None:
        answer = context.input_responses["visit"]
        assert isinstance(answer, types.ElicitResult)
        return f"Visited: {answer.action}."
    params = types.ElicitRequestURLParams(message="Please sign in.", url=PAGE)
    return types.InputRequiredResult(input_requests={"visit": types.ElicitRequest(params=params)})


def thought(question: str) -> Sample:
    """Ask the model."""
    message = types.SamplingMessage(role="user", content=types.TextContent(text=question))
    return Sample([message], max_tokens=100)


@server.tool()
async def think(question: str, reply: Annotated[types.CreateMessageResult, Resolve(thought)]) -> str:
    """Ask the model."""
    assert isinstance(reply.content, types.TextContent)
    return reply.content.text


def folders_wanted() -> ListRoots:
    """Ask for the folders."""
    return ListRoots()


@server.tool()
async def folders(roots: Annotated[types.ListRootsResult, Resolve(folders_wanted)]) -> str:
    """Name the client's folders."""
    return ", ".join(str(root.uri) for root in roots.roots)


@server.tool()
async def wait(context: Context) -> str:
    """Wait until stopped."""
    stopped.clear()
    await context.report_progress(1)
    try:
        await asyncio.Event().wait()
    finally:
        stopped.set()
    return "Never."


@server.tool()
async def await_stop() -> str:
    """Return when the tool that waits was stopped."""
    await stopped.wait()
    return "Stopped."


@server.tool()
async def touch(context: Context) -> str:
    """Change a resource."""
    await context.notify_resource_updated("interop://text")
    return "Touched."


@server.tool()
async def grow(context: Context) -> str:
    """Offer another tool."""
    server.add_tool(lambda: "Here.", name="grown", description="Return where it is.")
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()
    return "Grown."


@server.tool()
def route(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Return the region of a header."""
    return f"To {region}."


@server.resource("interop://text", mime_type="text/plain")
def text() -> str:
    """A text."""
    return "A text."


@server.resource("interop://bytes", mime_type="application/octet-stream")
def some_bytes() -> bytes:
    """Some bytes."""
    return b"\x00\x01\xfe\xff"


@server.resource("interop://notes/{name}", mime_type="text/plain")
def note(name: str) -> str:
    """A note."""
    return f"Note {name}."


@server.prompt()
def welcome(guest: str, language: str) -> str:
    """Welcome a guest."""
    return f"Welcome {guest} in {language}."


@server.completion()
async def complete(ref: Any, argument: types.CompletionArgument, context: Any) -> types.Completion:
    """Propose languages."""
    return types.Completion(values=[item for item in ("Dansk", "Deutsch", "Suomi") if item.startswith(argument.value)])


if __name__ == "__main__":
    if "--http" in sys.argv:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[-1]))
    else:
        server.run("stdio")
