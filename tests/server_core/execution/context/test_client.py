"""`context.client`, `context.notify` and `context.notifications`: older spellings, and notifications to all clients."""

from typing import Any

import pytest

from server_core import Context, ContextError, MCPApp
from server_core.exceptions import NotFoundError
from server_core.protocol.revisions import REVISION_2025_11_25
from server_core.settings import Settings
from tests.server_core.execution.app_client import Client, result_of
from tests.server_core.ports import Call, FakePort
from tests.waiting import until

pytestmark = pytest.mark.promises("context", "notifications")


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    answers: dict[str, dict[str, Any]] = {
        "elicitation/create": {"action": "accept", "content": {"name": "Ada"}},
        "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"},
        "roots/list": {"roots": [{"uri": "file:///a", "name": "a"}]},
    }
    return answers[method]


async def test_the_older_spellings_of_requests_to_the_client_work() -> None:
    app = MCPApp("older", toolkit="")

    @app.tool
    async def ask(context: Context) -> list[Any]:
        """Ask."""
        client = context.client
        answer = await client.create_message("Say hi", system_prompt="be brief")
        (root,) = await client.list_roots()
        form = {"type": "object", "properties": {"name": {"type": "string"}}}
        name = (await client.elicit("Who?", form)).content
        facts = [answer.text, root.uri, root.name, name, client.revision, client.info["name"]]
        return [*facts, sorted(client.capabilities)]

    result = await result_of(app, "ask", answer=answer)
    assert result["structuredContent"]["result"] == [
        "hi", "file:///a", "a", {"name": "Ada"}, "2025-11-25", "tester", ["elicitation", "roots", "sampling"],
    ]  # fmt: skip


async def test_completion_requests_the_own_server() -> None:
    app = MCPApp("letters", toolkit="")

    @app.prompt(completions={"tone": lambda value: [item for item in ("kind", "keen") if item.startswith(value)]})
    def letter(tone: str) -> str:
        """A letter."""
        return f"Write a {tone} letter."

    @app.tool
    async def propose(context: Context) -> list[str]:
        """Propose."""
        return await context.client.complete({"type": "ref/prompt", "name": "letter"}, {"name": "tone", "value": "ki"})

    client = Client(app)
    result = (await client.request("tools/call", name="propose"))["result"]
    assert result["structuredContent"]["result"] == ["kind"]
    assert client.asked == []


async def test_progress_in_its_older_spelling() -> None:
    async def count(context: Context) -> None:
        async with context.notify.progress(message="Counting", total=2) as tracker:
            await tracker.update(1, message="one")
            await tracker.update(current=2)

    call = Call(count)
    await call.run()
    token = {"progressToken": "token", "total": 2}
    assert [params for _, params in call.port.notifications] == [
        {**token, "progress": 0, "message": "Counting"},
        {**token, "progress": 1, "message": "one"},
        {**token, "progress": 2, "message": "one"},
    ]


async def test_prompts_and_resources_of_the_server_are_listed_and_read() -> None:
    app = MCPApp("shop", toolkit="")

    @app.resource("shop://goods", mime_type="text/plain")
    def goods() -> str:
        """What there is."""
        return "tea"

    @app.resource("shop://pictures/{name}")
    def picture(name: str) -> bytes:
        """A picture."""
        return name.encode()

    @app.prompt
    def letter(tone: str) -> str:
        """A letter."""
        return f"Write a {tone} letter."

    @app.tool
    async def look(context: Context) -> dict[str, Any]:
        """Look at everything."""
        resources, prompts = context.resources, context.prompts
        prompt = await prompts.get("letter", {"tone": "kind"})
        for read in (resources.read, resources.get):
            with pytest.raises(NotFoundError, match="shop://nothing"):
                await read("shop://nothing")
        return {
            "resources": [[item.uri, item.mimeType] for item in await resources.list()],
            "templates": [item.uriTemplate for item in await resources.list_templates()],
            "read": (await resources.get("shop://goods")).text,
            "blob": [item.blob for item in await resources.read("shop://pictures/x")],
            "prompts": [item.name for item in await prompts.list()],
            "prompt": [[item.role, item.content.text] for item in prompt.messages],
            "description": prompt.description,
        }

    assert (await result_of(app, "look"))["structuredContent"] == {
        "resources": [["shop://goods", "text/plain"]],
        "templates": ["shop://pictures/{name}"],
        "read": "tea",
        "blob": ["eA=="],
        "prompts": ["letter"],
        "prompt": [["user", "Write a kind letter."]],
        "description": "A letter.",
    }


def changing() -> MCPApp:
    app = MCPApp("changing", toolkit="")

    @app.tool
    async def change(context: Context) -> None:
        """Notify of changes, some twice."""
        for _ in range(2):
            await context.notifications.tools.list_changed()
            await context.notifications.resources.list_changed()
        await context.notifications.prompts.list_changed()

    @app.tool
    async def change_now(context: Context) -> str:
        """Notify of a change at once."""
        await context.notifications.tools.list_changed(delay=0)
        return "notified"

    @app.tool
    def on_a_thread(context: Context) -> None:
        """The same on a thread."""
        context.blocking.notifications.prompts.list_changed(delay=0)

    return app


async def test_changed_lists_are_notified_once() -> None:
    client = Client(changing(), settings=Settings(list_changed_delay=0.01))
    await client.request("tools/call", name="change")
    await until(lambda: len(client.notifications) == 3)
    assert sorted(method for method, _ in client.notifications) == [
        f"notifications/{kind}/list_changed" for kind in ("prompts", "resources", "tools")
    ]


async def test_a_change_may_be_notified_without_delay() -> None:
    client = Client(changing(), settings=Settings(list_changed_delay=3600))
    await client.request("tools/call", name="change_now")
    assert [message.get("method", "answer") for message in client.outlet.sent[-2:]] == [
        "notifications/tools/list_changed", "answer",
    ]  # fmt: skip
    await client.request("tools/call", name="on_a_thread")
    assert client.notifications[-1][0] == "notifications/prompts/list_changed"


async def test_without_a_server_notifications_and_lists_raise_an_error() -> None:
    context = Context(FakePort(), 1)
    with pytest.raises(ContextError, match="runs without a server"):
        await context.notifications.tools.list_changed()
    with pytest.raises(ContextError, match="runs without a server"):
        await context.resources.updated("a://b")
    with pytest.raises(ContextError, match="runs without a server"):
        await context.prompts.list()


def test_threads_have_every_part() -> None:
    for namespace in (
        "log",
        "progress",
        "resources",
        "tools",
        "prompts",
        "sampling",
        "ui",
        "roots",
    ):
        assert getattr(Context(FakePort(), 1).blocking, namespace) is not None


async def test_threads_can_use_every_part() -> None:
    app = MCPApp("threads", toolkit="")

    @app.resource("shop://goods")
    def goods() -> str:
        """What there is."""
        return "tea"

    @app.tool
    def ask(context: Context) -> list[Any]:
        """Ask."""
        blocking = context.blocking
        return [
            blocking.ui.elicit("Who?").content,
            blocking.sampling.create_message("hi").text,
            blocking.roots.list()[0].uri,
            blocking.client.list_roots()[0].uri,
            blocking.client.revision,
            blocking.resources.get("shop://goods").text,
            [tool.name for tool in blocking.tools.list()],
            blocking.client.cancel("nothing"),
        ]

    result = await result_of(app, "ask", REVISION_2025_11_25.date, answer=answer)
    assert result["structuredContent"]["result"] == [
        {"name": "Ada"}, "hi", "file:///a", "file:///a", "2025-11-25", "tea", ["ask"], False,
    ]  # fmt: skip


async def test_a_log_message_has_its_facts_in_either_spelling() -> None:
    async def log(context: Context) -> None:
        await context.log.info("a", logger_name="mine", extra={"k": 1})
        await context.log.warning("b", logger="mine", k=1)
        await context.log.log("error", "c", "mine", {"k": 1})
        await context.log("notice", "d")

    call = Call(log)
    await call.run()
    facts = {"extra": {"k": 1}}
    assert [params for _, params in call.port.notifications] == [
        {"level": "info", "logger": "mine", "data": {"msg": "a", **facts}},
        {"level": "warning", "logger": "mine", "data": {"msg": "b", **facts}},
        {"level": "error", "logger": "mine", "data": {"msg": "c", **facts}},
        {"level": "notice", "data": "d"},
    ]


async def test_roots_are_listed_by_both_names() -> None:
    port = FakePort({"roots": {}}, {"roots": [{"uri": "file:///a", "name": "a"}, "nonsense"]})
    context = Context(port, 1)
    assert await context.roots.list() == await context.resources.list_roots() == [{"uri": "file:///a", "name": "a"}]


async def test_nothing_is_sent_to_a_client_without_roots() -> None:
    with pytest.raises(ContextError, match="roots capability"):
        await Context(FakePort(), 1).roots.list()
