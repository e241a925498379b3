"""What the official conformance suite asks of a server under test: tools, resources and prompts of fixed names.

`python tests/conformance/server.py --port 3001` serves them at http://127.0.0.1:3001/mcp.
"""

import argparse
import asyncio
import base64
import struct
from typing import Annotated, Any

from server_core import Audio, Context, EmbeddedResource, Image, MCPApp
from server_core.errors import FatalToolError

app = MCPApp(name="conformance", version="1.0.0", instructions="Fixtures of the conformance suite.")

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = (
    b"RIFF"
    + struct.pack("<I", 36)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
    + b"data\0\0\0\0"
)


@app.tool
def test_simple_text() -> str:
    """Answer with a text."""
    return "This is a simple text response for testing."


@app.tool
def test_image_content() -> Image:
    """Answer with an image."""
    return Image(PNG)


@app.tool
def test_audio_content() -> Audio:
    """Answer with a sound."""
    return Audio(WAV)


@app.tool
def test_embedded_resource() -> EmbeddedResource:
    """Answer with a resource."""
    content = "This is an embedded resource content."
    return EmbeddedResource("test://embedded-resource", content, "text/plain")


@app.tool
def test_multiple_content_types() -> list[str | Image | EmbeddedResource]:
    """Answer with a text, an image and a resource."""
    resource = EmbeddedResource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return ["Multiple content types test:", Image(PNG), resource]


@app.tool
def test_error_handling() -> str:
    """Fail."""
    raise FatalToolError("This tool intentionally returns an error for testing")


@app.tool
async def test_tool_with_progress(context: Context) -> str:
    """Report progress three times."""
    for progress in (0, 50, 100):
        await context.progress.report(progress, total=100)
        await asyncio.sleep(0.05)
    return "Done."


@app.tool
async def test_tool_with_logging(context: Context) -> str:
    """Log three times."""
    await context.log.info("Tool execution started")
    await asyncio.sleep(0.05)
    await context.log.info("Tool processing data")
    await asyncio.sleep(0.05)
    await context.log.info("Tool execution completed")
    return "Logged."


@app.tool
async def test_sampling(context: Context, prompt: Annotated[str, "What to ask the model"]) -> str:
    """Ask the client's model."""
    reply = await context.sampling.create_message(prompt, max_tokens=100)
    return f"LLM response: {reply.text}"


@app.tool
async def test_elicitation(context: Context, message: Annotated[str, "What to ask the person"]) -> str:
    """Ask the person for a name and an address."""
    properties = {
        "username": {"type": "string", "description": "The name"},
        "email": {"type": "string", "description": "The address"},
    }
    schema = {"type": "object", "properties": properties, "required": ["username", "email"]}
    answer = await context.ui.elicit(message, schema)
    return f"User response: action={answer.action}, content={answer.content}"


@app.tool
async def test_elicitation_sep1034_defaults(context: Context) -> str:
    """Ask the person with a form that has a default for every type of field."""
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    answer = await context.ui.elicit("Please confirm", {"type": "object", "properties": properties})
    return f"Elicitation completed: action={answer.action}, content={answer.content}"


@app.tool
async def test_elicitation_sep1330_enums(context: Context) -> str:
    """Ask the person with a form that has every kind of choice."""
    values = ["option1", "option2", "option3"]
    titled = [{"const": value, "title": value.replace("option", "Option ")} for value in values]
    properties = {
        "untitledSingle": {"type": "string", "enum": values},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": values, "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": values}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    answer = await context.ui.elicit("Please choose", {"type": "object", "properties": properties})
    return f"Elicitation completed: action={answer.action}, content={answer.content}"


@app.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@app.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """An image."""
    return PNG


@app.resource("test://watched-resource", mime_type="text/plain")
def watched_resource() -> str:
    """A resource to subscribe to."""
    return "Watched."


@app.resource("test://template/{id}/data", mime_type="application/json")
def template_data(id: str) -> dict[str, Any]:
    """Data of one id."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


@app.prompt
def test_simple_prompt() -> str:
    """One message."""
    return "This is a simple prompt for testing."


def no_proposals(typed: str) -> list[str]:
    """Complete nothing."""
    return [typed] if typed else []


@app.prompt(completions={"arg1": no_proposals})
def test_prompt_with_arguments(
    arg1: Annotated[str, "The first argument"], arg2: Annotated[str, "The second argument"]
) -> str:
    """A message made of its arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@app.prompt
def test_prompt_with_embedded_resource(resourceUri: Annotated[str, "Its address"]) -> list[Any]:
    """A resource and a message about it."""
    resource = EmbeddedResource(resourceUri, "Embedded resource content for testing.", "text/plain")
    return [resource, "Please process the embedded resource above."]


@app.prompt
def test_prompt_with_image() -> list[Any]:
    """An image and a message about it."""
    return [Image(PNG), "Please analyze the image above."]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=3001)
    app.run(transport="http", port=parser.parse_args().port)
