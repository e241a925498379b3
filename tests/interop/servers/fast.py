"""The matrix' server, written for fastmcp."""

import asyncio
import sys
from typing import Annotated, Any

import mcp_types as types
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from fastmcp.utilities.types import Audio, Image
from fastmcp_tasks import TasksExtension
from pydantic import BaseModel, Field

mcp = FastMCP("interop", version="1.0.0", instructions="Tools that show every part of the protocol.", list_page_size=5)
mcp.add_extension(TasksExtension())

PAGE = "https://example.com/sign-in?state=1"
STATELESS = "2026-07-28"
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
COLOUR = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}

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


@mcp.tool
def echo(text: str) -> str:
    """Repeat the text."""
    return text


@mcp.tool
def weigh(item: str) -> Weighed:
    """Weigh a thing."""
    return Weighed(item=item, grams=100 * len(item))


@mcp.tool
def fail() -> str:
    """Fail."""
    raise ToolError("The kettle is empty.")


@mcp.tool
def show() -> ToolResult:
    """Show every kind of content."""
    resource = types.TextResourceContents(uri="interop://text", text="A text.", mime_type="text/plain")
    return ToolResult(
        content=[
            types.TextContent(text="A text."),
            Image(data=b"\x89PNG", format="png").to_image_content(),
            Audio(data=b"RIFF", format="wav").to_audio_content(),
            types.EmbeddedResource(resource=resource),
            types.ResourceLink(uri="interop://text", name="text"),
        ]
    )


@mcp.tool
async def steps(count: int, seconds: float, context: Context) -> str:
    """Work in some steps of so many seconds, and report each."""
    for step in range(1, count + 1):
        await context.report_progress(step, count, f"step {step}")
        await asyncio.sleep(seconds)
    return "Done."


@mcp.tool
async def log_messages(context: Context) -> str:
    """Log at four levels."""
    for level in ("debug", "info", "warning", "error"):
        await context.log(f"at {level}", level=level)
    return "Logged."


@mcp.tool
async def ask_name(context: Context) -> str | types.InputRequiredResult:
    """Ask for a name."""
    if is_stateless(context):
        answer = answered(context, "name")
        if answer is None:
            return asking(name=form("What is your name?", NAME))
        return f"Hello, {answer.content['name']}!" if answer.action == "accept" else f"No name: {answer.action}."
    answer = await context.elicit("What is your name?", Name)
    return f"Hello, {answer.data.name}!" if answer.action == "accept" else f"No name: {answer.action}."


@mcp.tool
async def ask_twice(context: Context) -> str | types.InputRequiredResult:
    """Ask for a name, and then for a colour."""
    if not is_stateless(context):
        name = (await context.elicit("What is your name?", Name)).data.name
        colour = (await context.elicit("Which colour do you like?", Colour)).data.colour
        return f"{name} likes {colour}."
    if context.request_state is None:
        answer = answered(context, "name")
        if answer is None:
            return asking(name=form("What is your name?", NAME))
        return asking(answer.content["name"], colour=form("Which colour do you like?", COLOUR))
    return f"{context.request_state} likes {answered(context, 'colour').content['colour']}."


@mcp.tool
async def visit(context: Context) -> str | types.InputRequiredResult:
    """Send the user to a page."""
    if not is_stateless(context):
        answer = await context.session.elicit_url("Please sign in.", PAGE, "sign-in-1", context.request_id)
        return f"Visited: {answer.action}."
    answer = answered(context, "visit")
    if answer is None:
        params = types.ElicitRequestURLParams(message="Please sign in.", url=PAGE)
        return asking(visit=types.ElicitRequest(params=params))
    return f"Visited: {answer.action}."


@mcp.tool
async def think(question: str, context: Context) -> str | types.InputRequiredResult:
    """Ask the model."""
    message = types.SamplingMessage(role="user", content=types.TextContent(text=question))
    if not is_stateless(context):
        reply = await context.session.create_message([message], max_tokens=100, related_request_id=context.request_id)
        return reply.content.text
    answer = answered(context, "thought")
    if answer is None:
        params = types.CreateMessageRequestParams(messages=[message], max_tokens=100)
        return asking(thought=types.CreateMessageRequest(params=params))
    return answer.content.text


@mcp.tool
async def folders(context: Context) -> str | types.InputRequiredResult:
    """Name the client's folders."""
    if not is_stateless(context):
        return ", ".join(str(root.uri) for root in (await context.session.list_roots()).roots)
    answer = answered(context, "folders")
    if answer is None:
        return asking(folders=types.ListRootsRequest())
    return ", ".join(str(root.uri) for root in answer.roots)


@mcp.tool
async def wait(context: Context) -> str:
    """Wait until stopped."""
    stopped.clear()
    await context.report_progress(1)
    try:
        await asyncio.Event().wait()
    finally:
        stopped.set()
    return "Never."


@mcp.tool
async def await_stop() -> str:
    """Return when the tool that waits was stopped."""
    await stopped.wait()
    return "Stopped."


@mcp.tool
async def touch(context: Context) -> str:
    """Change a resource."""
    params = types.ResourceUpdatedNotificationParams(uri="interop://text")
    await context.send_notification(types.ResourceUpdatedNotification(params=params))
    return "Touched."


@mcp.tool
async def grow(context: Context) -> str:
    """Offer another tool."""

    def grown() -> str:
        """Return where it is."""
        return "Here."

    mcp.tool(grown)
    await context.send_notification(types.ToolListChangedNotification())
    return "Grown."


@mcp.tool(task=True)
async def brew() -> str:
    """Work for a while."""
    await asyncio.sleep(0.1)
    return "Brewed."


@mcp.tool(task=True)
async def order(context: Context) -> str | types.InputRequiredResult:
    """Work for a while, and ask for a name meanwhile."""
    answer = answered(context, "name")
    if answer is None:
        return asking(name=form("What is your name?", NAME))
    return f"Ordered for {answer.content['name']}."


@mcp.tool
def route(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Return the region of a header."""
    return f"To {region}."


@mcp.resource("interop://text", mime_type="text/plain")
def text() -> str:
    """A text."""
    return "A text."


@mcp.resource("interop://bytes", mime_type="application/octet-stream")
def some_bytes() -> bytes:
    """Some bytes."""
    return b"\x00\x01\xfe\xff"


@mcp.resource("interop://notes/{name}", mime_type="text/plain")
def note(name: str) -> str:
    """A note."""
    return f"Note {name}."


@mcp.prompt
def welcome(guest: str, language: str) -> str:
    """Welcome a guest."""
    return f"Welcome {guest} in {language}."


@mcp.completion
def complete(ref: Any, argument: types.CompletionArgument, context: Any) -> list[str]:
    """Propose languages."""
    return [item for item in ("Dansk", "Deutsch", "Suomi") if item.startswith(argument.value)]


def is_stateless(context: Context) -> bool:
    """Whether questions go out as results."""
    return context.request_context is not None and context.request_context.protocol_version == STATELESS


def answered(context: Context, key: str) -> Any:
    """Return the answer to a question, None before it was asked."""
    return (context.input_responses or {}).get(key)


def asking(state: str | None = None, **requests: Any) -> types.InputRequiredResult:
    """Return the result that asks."""
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def form(message: str, schema: dict[str, Any]) -> types.ElicitRequest:
    """Return the request that shows a form."""
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


if __name__ == "__main__":
    if "--http" in sys.argv:
        mcp.run("http", host="127.0.0.1", port=int(sys.argv[-1]), show_banner=False)
    else:
        mcp.run("stdio", show_banner=False)
