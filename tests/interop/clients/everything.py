"""The same behaviours as far as server-everything shows them, whose tools are its own."""

import asyncio
import base64

from checking import Checks, expect, until
from checks import MEGABYTE, UNICODE, text_of, unknown_resource, unknown_tool
from client import ROOT, Client, Json

checks: Checks[Client] = Checks()

TEXT = "demo://resource/dynamic/text/1"


@checks("begin")
async def begin(client: Client) -> None:
    """It supports nothing newer than 2025-11-25."""
    expect(client.revision, "2025-11-25")
    expect(client.server_info["name"], "mcp-servers/everything")
    assert client.instructions


@checks("list tools")
async def list_tools(client: Client) -> None:
    """Some of them are there only for clients that can be asked."""
    tools = {tool["name"]: tool for tool in (await client.list("tools"))[0]}
    expect(tools["echo"]["inputSchema"]["required"], ["message"])
    assert {"trigger-elicitation-request", "trigger-sampling-request", "get-roots-list"} <= tools.keys()


@checks("call: text")
async def call_text(client: Client) -> None:
    """Get a text."""
    expect(text_of(await client.call("echo", {"message": "hello"})), "Echo: hello")


@checks("call: structured")
async def call_structured(client: Client) -> None:
    """Get structured content."""
    result = await client.call("get-structured-content", {"location": "New York"})
    expect(result["structuredContent"], {"temperature": 33, "conditions": "Cloudy", "humidity": 82})


@checks("call: every content")
async def call_content(client: Client) -> None:
    """Get an image, resources and links, each of a separate tool."""
    image = await client.call("get-tiny-image")
    assert base64.b64decode(image["content"][1]["data"]).startswith(b"\x89PNG")
    reference = await client.call("get-resource-reference", {"resourceType": "Text", "resourceId": 1})
    expect(reference["content"][1]["resource"]["uri"], TEXT)
    links = await client.call("get-resource-links", {"count": 2})
    expect([item["type"] for item in links["content"]], ["text", "resource_link", "resource_link"])


@checks("tool error")
async def tool_error(client: Client) -> None:
    """Get a result that explains the failure."""
    result = await client.call("get-resource-reference", {"resourceId": -1})
    expect(result.get("isError"), True)
    assert "resourceId" in result["content"][0]["text"]


@checks("bad arguments")
async def bad_arguments(client: Client) -> None:
    """Get a message that names the invalid argument."""
    result = await client.call("get-sum", {"a": "two", "b": 3})
    expect(result.get("isError"), True)
    assert "at a" in result["content"][0]["text"], result["content"]


checks("unknown tool")(unknown_tool)


@checks("progress")
async def progress(client: Client) -> None:
    """Receive each step, in order, before the result."""
    notifications: list[Json] = []
    arguments = {"duration": 0.1, "steps": 3}
    text_of(await client.call("trigger-long-running-operation", arguments, notifications.append))
    expect([(item["progress"], item.get("total")) for item in notifications], [(1, 3), (2, 3), (3, 3)])


@checks("log by level")
async def log_by_level(client: Client) -> None:
    """A subscription is logged, at level info."""
    for level, count in (("warning", 0), ("info", 2)):
        await client.set_log_level(level)
        client.logs.clear()
        async with client.hearing(TEXT):
            pass
        await until(lambda count=count: len(client.logs) >= count)
        await client.call("echo", {"message": "whatever came before this has arrived"})
        expect([item["level"] for item in client.logs], ["info"] * count)


@checks("elicit: accept")
async def elicit_accept(client: Client) -> None:
    """Answer a form with every kind of field."""
    client.answers.elicitations = [{"action": "accept", "content": {"name": "Ada", "check": True, "integer": 7}}]
    client.answers.asked.clear()
    result = await client.call("trigger-elicitation-request")
    assert "Name: Ada" in result["content"][1]["text"], result["content"]
    assert len(client.answers.asked[0]["requestedSchema"]["properties"]) > 10


@checks("elicit: decline")
async def elicit_decline(client: Client) -> None:
    """Refuse to answer a form."""
    client.answers.elicitations = [{"action": "decline"}]
    assert "declined" in text_of(await client.call("trigger-elicitation-request"))


@checks("elicit: URL")
async def elicit_url(client: Client) -> None:
    """Agree to visit a page."""
    client.answers.elicitations = [{"action": "accept"}]
    client.answers.asked.clear()
    page = "https://example.com/sign-in?state=1"
    assert page in text_of(await client.call("trigger-url-elicitation", {"url": page}))
    expect(client.answers.asked[0]["url"], page)


@checks("sampling")
async def sampling(client: Client) -> None:
    """Let the model answer."""
    assert "Forty-two." in text_of(await client.call("trigger-sampling-request", {"prompt": "Six times seven?"}))


@checks("roots")
async def roots(client: Client) -> None:
    """Name the folders that are open to the server."""
    assert ROOT in text_of(await client.call("get-roots-list"))


@checks("resources")
async def resources(client: Client) -> None:
    """List resources, and read a resource."""
    listed = [item["uri"] for item in (await client.list("resources"))[0]]
    (content,) = (await client.read(listed[0]))["contents"]
    assert content["text"]
    (content,) = (await client.read("demo://resource/dynamic/blob/1"))["contents"]
    assert base64.b64decode(content["blob"]).startswith(b"Resource 1")


checks("unknown resource")(unknown_resource)


@checks("templates")
async def templates(client: Client) -> None:
    """List templates, and read a resource of a template."""
    listed = [item["uriTemplate"] for item in (await client.list("resourceTemplates"))[0]]
    assert "demo://resource/dynamic/text/{resourceId}" in listed
    (content,) = (await client.read(TEXT))["contents"]
    assert content["text"].startswith("Resource 1")


@checks("prompts")
async def prompts(client: Client) -> None:
    """List prompts, and get a prompt."""
    assert "args-prompt" in [item["name"] for item in (await client.list("prompts"))[0]]
    result = await client.get_prompt("args-prompt", {"city": "Åsa"})
    expect(result["messages"][0]["content"]["text"], "What's weather in Åsa?")


@checks("completion")
async def completion(client: Client) -> None:
    """Get proposals for an argument."""
    ref = {"type": "ref/prompt", "name": "completable-prompt"}
    result = await client.complete(ref, {"name": "department", "value": "E"})
    expect(result["completion"]["values"], ["Engineering"])


@checks("resource updates")
async def resource_updates(client: Client) -> None:
    """Be notified when a resource has changed."""
    async with client.hearing(TEXT):
        client.notifications.clear()
        await client.call("toggle-subscriber-updates")
        await until(lambda: ("notifications/resources/updated", TEXT) in client.notifications)
        await client.call("toggle-subscriber-updates")


@checks("list changes")
async def list_changes(client: Client) -> None:
    """Be notified of a new resource, and list it."""
    client.notifications.clear()
    arguments = {"name": "new.gz", "data": "data:text/plain,hello", "outputType": "resourceLink"}
    text_or_link = await client.call("gzip-file-as-resource", arguments)
    await until(lambda: ("notifications/resources/list_changed", "") in client.notifications)
    uri = text_or_link["content"][0]["uri"]
    assert uri in [item["uri"] for item in (await client.list("resources"))[0]]


@checks("cancellation")
async def cancellation(client: Client) -> None:
    """Cancel a tool, and continue."""
    begun = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        arguments = {"duration": 2, "steps": 20}
        waiting = group.create_task(client.call("trigger-long-running-operation", arguments, lambda _: begun.set()))
        await begun.wait()
        waiting.cancel()
    expect(text_of(await client.call("echo", {"message": "on"})), "Echo: on")


@checks("task")
async def task(client: Client) -> None:
    """Have a call become a task, and get its result."""
    result = await client.call_as_task("simulate-research-query", {"topic": "tea"})
    assert "Research Report: tea" in text_of(result)


@checks("task that asks")
async def task_that_asks(client: Client) -> None:
    """Have a call become a task, and answer what it asks."""
    client.answers.elicitations = [{"action": "accept", "content": {"interpretation": "technical"}}]
    client.answers.asked.clear()
    arguments = {"topic": "python", "ambiguous": True}
    assert "Research Report: python (technical)" in text_of(
        await client.call_as_task("simulate-research-query", arguments)
    )
    expect(len(client.answers.asked), 1)


@checks("20 calls at once")
async def many_calls(client: Client) -> None:
    """Get every result for its own call."""
    texts = [f"call {number}" for number in range(20)]
    results = await asyncio.gather(*(client.call("echo", {"message": text}) for text in texts))
    expect([text_of(result) for result in results], [f"Echo: {text}" for text in texts])


@checks("1 MB each way")
async def large(client: Client) -> None:
    """Get a large text back whole."""
    assert text_of(await client.call("echo", {"message": MEGABYTE})) == f"Echo: {MEGABYTE}", "it was returned changed"


@checks("Unicode")
async def unicode(client: Client) -> None:
    """Get every kind of character back as it was."""
    expect(text_of(await client.call("echo", {"message": UNICODE})), f"Echo: {UNICODE}")
