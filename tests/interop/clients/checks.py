"""Every behaviour of the matrix, tried with any client on any of the servers beside this folder.

Needs Python alone: it runs in the environments of others.
"""

import asyncio
import base64

from checking import Checks, Lacking, Refused, expect, until
from client import REVISIONS, ROOT, Client, Json

checks: Checks[Client] = Checks()

MEGABYTE = "0123456789abcdef" * 65536
UNICODE = 'naïve 茶道 🫖 e\u0301 \u2028 \x00 "\\" \u202e'
TOOLS = "notifications/tools/list_changed"
UPDATED = "notifications/resources/updated"


def text_of(result: Json) -> str:
    """Return the text of a tool's result, which has to be no error."""
    assert not result.get("isError"), f"the tool failed: {result['content']}"
    return str(result["content"][0]["text"])


@checks("begin")
async def begin(client: Client) -> None:
    """Agree on the revision, and get to know the server."""
    expect(client.revision, REVISIONS[client.era])
    await client.list("tools")
    if client.era != "stateless" or client.server_info:
        # A client that has the era need not discover the server.
        expect(client.server_info["name"], "interop")
        expect(client.instructions, "Tools that show every part of the protocol.")


@checks("list tools")
async def list_tools(client: Client) -> None:
    """Get every tool, with its schemas."""
    tools = {tool["name"]: tool for tool in (await client.list("tools"))[0]}
    expect(tools["echo"]["inputSchema"]["required"], ["text"])
    expect(tools["echo"]["description"], "Repeat the text.")
    assert "grams" in tools["weigh"]["outputSchema"]["properties"]


@checks("list in pages")
async def list_in_pages(client: Client) -> None:
    """Get every tool once, of several pages."""
    tools, pages = await client.list("tools")
    names = [tool["name"] for tool in tools]
    expect(len(set(names)), len(names))
    if pages == 1:
        raise Lacking("The server sends every list in a single page.")


@checks("call: text")
async def call_text(client: Client) -> None:
    """Get a text."""
    expect(text_of(await client.call("echo", {"text": "hello"})), "hello")


@checks("call: structured")
async def call_structured(client: Client) -> None:
    """Get structured content, and the same as text."""
    result = await client.call("weigh", {"item": "tea"})
    expect(result["structuredContent"], {"item": "tea", "grams": 300})
    assert "300" in text_of(result)


@checks("call: every content")
async def call_content(client: Client) -> None:
    """Get every kind of content."""
    result = await client.call("show")
    expect([item["type"] for item in result["content"]], ["text", "image", "audio", "resource", "resource_link"])
    expect(base64.b64decode(result["content"][1]["data"]), b"\x89PNG")
    expect(result["content"][3]["resource"]["text"], "A text.")


@checks("tool error")
async def tool_error(client: Client) -> None:
    """Get a result that explains the failure."""
    result = await client.call("fail")
    expect(result.get("isError"), True)
    assert "The kettle is empty." in result["content"][0]["text"], result["content"]


@checks("bad arguments")
async def bad_arguments(client: Client) -> None:
    """Get a message that names the invalid argument."""
    try:
        result = await client.call("weigh", {"item": {"no": "text"}})
    except Refused as refusal:
        expect(refusal.code, -32602)
        message = refusal.message
    else:
        expect(result.get("isError"), True)
        message = result["content"][0]["text"]
    assert "item" in message, f"the argument is not named: {message}"


@checks("unknown tool")
async def unknown_tool(client: Client) -> None:
    """Get an error of the protocol."""
    try:
        result = await client.call("no_such_tool")
    except Refused as refusal:
        expect(refusal.code, -32602)
    else:
        raise AssertionError(f"got a result: {result}")


@checks("progress")
async def progress(client: Client) -> None:
    """Receive each step, in order, before the result."""
    await take_steps(client, 0.05)


@checks("progress at once")
async def progress_at_once(client: Client) -> None:
    """Receive each step, when all of them and the result are sent together."""
    await take_steps(client, 0)


async def take_steps(client: Client, seconds: float) -> None:
    """Call the tool that reports its steps, and check the reports."""
    notifications: list[Json] = []
    expect(text_of(await client.call("steps", {"count": 3, "seconds": seconds}, notifications.append)), "Done.")
    expect([(item["progress"], item.get("total")) for item in notifications], [(1, 3), (2, 3), (3, 3)])
    expect(notifications[-1].get("message"), "step 3")


@checks("log by level")
async def log_by_level(client: Client) -> None:
    """Receive messages of the requested level and above, and no others."""
    await client.set_log_level("warning")
    client.logs.clear()
    await client.call("log_messages")
    await until(lambda: len(client.logs) >= 2)
    await client.call("echo", {"text": "whatever came before this has arrived"})
    expect([item["level"] for item in client.logs], ["warning", "error"])
    assert "at warning" in str(client.logs[0]["data"]), client.logs
    await client.set_log_level("debug")
    client.logs.clear()
    await client.call("log_messages")
    await until(lambda: len(client.logs) >= 4)
    expect([item["level"] for item in client.logs], ["debug", "info", "warning", "error"])


@checks("elicit: accept")
async def elicit_accept(client: Client) -> None:
    """Answer a form."""
    client.answers.elicitations = [{"action": "accept", "content": {"name": "Ada"}}]
    client.answers.asked.clear()
    expect(text_of(await client.call("ask_name")), "Hello, Ada!")
    (asked,) = client.answers.asked
    expect(asked["message"], "What is your name?")
    expect(asked["requestedSchema"]["properties"]["name"]["type"], "string")


@checks("elicit: decline")
async def elicit_decline(client: Client) -> None:
    """Refuse to answer a form."""
    client.answers.elicitations = [{"action": "decline"}]
    expect(text_of(await client.call("ask_name")), "No name: decline.")


@checks("elicit: two rounds")
async def elicit_twice(client: Client) -> None:
    """Answer a form, and then another of the same call."""
    answers: list[Json] = [{"name": "Ada"}, {"colour": "green"}]
    client.answers.elicitations = [{"action": "accept", "content": content} for content in answers]
    expect(text_of(await client.call("ask_twice")), "Ada likes green.")


@checks("elicit: URL")
async def elicit_url(client: Client) -> None:
    """Agree to visit a page."""
    await need_tool(client, "visit")
    client.answers.elicitations = [{"action": "accept"}]
    client.answers.asked.clear()
    expect(text_of(await client.call("visit")), "Visited: accept.")
    expect(client.answers.asked[0]["url"], "https://example.com/sign-in?state=1")


@checks("sampling")
async def sampling(client: Client) -> None:
    """Let the model answer."""
    client.answers.asked.clear()
    expect(text_of(await client.call("think", {"question": "What is six times seven?"})), "Forty-two.")
    expect(client.answers.asked[0]["maxTokens"], 100)


@checks("roots")
async def roots(client: Client) -> None:
    """Name the folders that are open to the server."""
    expect(text_of(await client.call("folders")), ROOT)


@checks("resources")
async def resources(client: Client) -> None:
    """List resources, and read a text and bytes."""
    listed = {item["uri"]: item for item in (await client.list("resources"))[0]}
    expect(listed["interop://text"]["mimeType"], "text/plain")
    (content,) = (await client.read("interop://text"))["contents"]
    expect(content["text"], "A text.")
    (content,) = (await client.read("interop://bytes"))["contents"]
    expect(base64.b64decode(content["blob"]), b"\x00\x01\xfe\xff")


@checks("unknown resource")
async def unknown_resource(client: Client) -> None:
    """Get an error of the protocol, of the code that the revision has."""
    try:
        result = await client.read("interop://nothing")
    except Refused as refusal:
        expect(refusal.code, -32602 if client.revision == "2026-07-28" else -32002)
    else:
        raise AssertionError(f"got a result: {result}")


@checks("templates")
async def templates(client: Client) -> None:
    """List templates, and read a resource of a template, with a name that is not ASCII."""
    (listed,) = (await client.list("resourceTemplates"))[0]
    expect(listed["uriTemplate"], "interop://notes/{name}")
    (content,) = (await client.read("interop://notes/tea"))["contents"]
    expect(content["text"], "Note tea.")
    (content,) = (await client.read("interop://notes/%E8%8C%B6"))["contents"]
    expect(content["text"], "Note 茶.")


@checks("prompts")
async def prompts(client: Client) -> None:
    """List prompts, and get a prompt."""
    (listed,) = (await client.list("prompts"))[0]
    expect({item["name"] for item in listed["arguments"]}, {"guest", "language"})
    result = await client.get_prompt("welcome", {"guest": "Åsa", "language": "Suomi"})
    expect(result["messages"][0]["content"]["text"], "Welcome Åsa in Suomi.")


@checks("completion")
async def completion(client: Client) -> None:
    """Get proposals for an argument."""
    if "completions" not in client.capabilities and client.capabilities:
        raise Lacking("The server declares no completions.")
    ref = {"type": "ref/prompt", "name": "welcome"}
    result = await client.complete(ref, {"name": "language", "value": "D"})
    expect(result["completion"]["values"], ["Dansk", "Deutsch"])


@checks("resource updates")
async def resource_updates(client: Client) -> None:
    """Be notified when a resource has changed."""
    if not client.capabilities.get("resources", {"subscribe": True}).get("subscribe"):
        raise Lacking("The server declares no subscriptions to resources.")
    async with client.hearing("interop://text"):
        client.notifications.clear()
        await client.call("touch")
        await until(lambda: (UPDATED, "interop://text") in client.notifications)


@checks("list changes")
async def list_changes(client: Client) -> None:
    """Be notified of a new tool, and list it."""
    if not client.capabilities.get("tools", {"listChanged": True}).get("listChanged"):
        raise Lacking("The server declares that its list of tools does not change.")
    async with client.hearing():
        client.notifications.clear()
        await client.call("grow")
        await until(lambda: (TOOLS, "") in client.notifications)
    assert "grown" in [tool["name"] for tool in (await client.list("tools"))[0]]
    expect(text_of(await client.call("grown")), "Here.")


@checks("cancellation")
async def cancellation(client: Client) -> None:
    """Cancel a tool that waits, and continue."""
    begun = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(client.call("wait", {}, lambda _: begun.set()))
        await begun.wait()
        waiting.cancel()
    expect(text_of(await client.call("await_stop")), "Stopped.")


@checks("task")
async def task(client: Client) -> None:
    """Have a call become a task, and get its result."""
    await need_tool(client, "brew")
    expect(text_of(await client.call_as_task("brew")), "Brewed.")


@checks("task that asks")
async def task_that_asks(client: Client) -> None:
    """Have a call become a task, and answer what it asks."""
    await need_tool(client, "order")
    client.answers.elicitations = [{"action": "accept", "content": {"name": "Ada"}}]
    client.answers.asked.clear()
    expect(text_of(await client.call_as_task("order")), "Ordered for Ada.")
    expect(len(client.answers.asked), 1)


@checks("header parameter")
async def header_parameter(client: Client) -> None:
    """Call a tool with a parameter that HTTP repeats in a header, with a value that no header can hold as it is."""
    await need_tool(client, "route")
    expect(text_of(await client.call("route", {"region": "茶 east"})), "To 茶 east.")


@checks("20 calls at once")
async def many_calls(client: Client) -> None:
    """Get every result for its own call."""
    texts = [f"call {number}" for number in range(20)]
    results = await asyncio.gather(*(client.call("echo", {"text": text}) for text in texts))
    expect([text_of(result) for result in results], texts)


@checks("1 MB each way")
async def large(client: Client) -> None:
    """Get a large text back whole."""
    assert text_of(await client.call("echo", {"text": MEGABYTE})) == MEGABYTE, "the text was returned changed"


@checks("Unicode")
async def unicode(client: Client) -> None:
    """Get every kind of character back as it was."""
    expect(text_of(await client.call("echo", {"text": UNICODE})), UNICODE)


async def need_tool(client: Client, name: str) -> None:
    """Raise Lacking when the server has no such tool, because its library has no way to write it."""
    if name not in [tool["name"] for tool in (await client.list("tools"))[0]]:
        raise Lacking(f"The server's library cannot express the tool {name!r}.")
