"""A client in a test: what it serves, what it calls, and what it gets."""

import asyncio
import enum
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from server_core import Context, MCPApp
from server_core.errors import ConfigurationError
from tests.tables import each_row
from tests.workbench.testing.cafe import SECRET, Order, new_cafe
from workbench.testing import REVISIONS, Client, RequestFailed, SyncClient, Unmet

TOOL = 'from server_core import tool\n\n@tool\ndef one() -> str:\n    """One."""\n    return "1"\n'


@pytest.fixture(params=REVISIONS)
def client(request: pytest.FixtureRequest) -> Iterator[SyncClient]:
    """A client in each revision."""
    with Client(new_cafe(), revision=request.param) as client:
        yield client


def test_a_tool_is_called_by_its_name(client: SyncClient) -> None:
    result = client.call("greet", name="Ada")
    assert (result.text, result.is_error, result.error_kind) == ("Hello, Ada!", False, "")
    assert result.content == [{"type": "text", "text": "Hello, Ada!"}]


async def test_a_tool_is_called_on_the_loop_of_an_async_test() -> None:
    app = MCPApp("one", toolkit="")
    loops = []

    @app.tool
    async def here() -> str:
        """Return the place where it runs."""
        loops.append(asyncio.get_running_loop())
        return "here"

    async with Client(app) as client:
        assert (await client.call("here")).text == "here"
    assert loops == [asyncio.get_running_loop()]


async def test_calls_of_an_async_test_run_at_the_same_time() -> None:
    async with Client(new_cafe()) as client:
        waiting = asyncio.gather(*(client.call("greet", name=name) for name in ("Ada", "Alan")))
        assert [result.text for result in await waiting] == ["Hello, Ada!", "Hello, Alan!"]


def test_a_tool_is_called_by_its_function() -> None:
    app = MCPApp("echo_server")

    @app.tool
    def say_hello(name: str) -> str:
        """Say hello."""
        return f"hello {name}"

    with Client(app) as client:
        assert client.call(say_hello, name="Ada").text == "hello Ada"
        assert client.call("EchoServer_SayHello", name="Ada").text == "hello Ada"
        assert client.call("EchoServer.SayHello", name="Ada").text == "hello Ada"
        assert client.describe(say_hello)["name"] == "EchoServer_SayHello"


def test_a_function_that_is_no_tool_is_refused_with_the_names_of_the_tools(client: SyncClient) -> None:
    with pytest.raises(Unmet, match=r"new_cafe is not a tool that is served; .* Served: greet, take"):
        client.call(new_cafe)


def test_arguments_may_have_any_name() -> None:
    app = MCPApp("one", toolkit="")

    @app.tool
    def odd(tool: str, check: bool, timeout: int, arguments: str) -> str:
        """Take odd names."""
        return f"{tool} {check} {timeout} {arguments}"

    with Client(app) as client:
        assert client.call("odd", tool="a", check=True, timeout=3, arguments="b").text == "a True 3 b"


def test_arguments_are_sent_in_their_json_form() -> None:
    app = MCPApp("one", toolkit="")

    class Colour(enum.Enum):
        RED = "red"

    @app.tool
    def show(order: Order, day: date, colour: Colour) -> str:
        """Show what came."""
        return f"{order.dish} {day} {colour.value}"

    with Client(app) as client:
        result = client.call("show", order=Order(dish="soup"), day=date(2030, 5, 17), colour=Colour.RED)
    assert result.text == "soup 2030-05-17 red"


def test_structured_content_is_at_hand() -> None:
    with Client(new_cafe()) as client:
        assert client.call("take", order={"dish": "soup"}).structured == {"dish": "soup", "count": 1}


def test_resources_are_read(client: SyncClient) -> None:
    menu = client.read_resource("cafe://menu")
    assert (menu.text, menu.mime_type, menu.data) == ("# Menu", "text/markdown", b"")
    assert client.read_resource("cafe://dishes/soup").json() == {"dish": "soup"}


def test_prompts_are_made_and_completed(client: SyncClient) -> None:
    prompt = client.get_prompt("invitation", guest="Ada")
    assert (prompt.text, prompt.messages[0]["role"]) == ("Invite Ada.", "user")
    assert client.complete("invitation", "guest", "Al") == ["Alan"]


def test_all_offers_are_listed(client: SyncClient) -> None:
    assert "greet" in [tool["name"] for tool in client.list_tools()]
    assert [item["uri"] for item in client.list_resources()] == ["cafe://menu", "cafe://broken"]
    assert [item["uriTemplate"] for item in client.list_resource_templates()] == ["cafe://dishes/{dish}"]
    assert [item["name"] for item in client.list_prompts()] == ["invitation"]


def test_the_identity_of_the_server_is_available(client: SyncClient) -> None:
    assert (client.server_info["name"], client.instructions) == ("cafe", "Be kind.")
    assert "tools" in client.capabilities


def test_changes_of_lists_are_waited_for() -> None:
    with Client(new_cafe()) as client:
        client.call("grow")
        client.wait_for("notifications/tools/list_changed")
        assert client.call("another").text == "new"


def test_any_request_can_be_sent(client: SyncClient) -> None:
    assert client.request("tools/call", {"name": "greet", "arguments": {"name": "Ada"}})["content"]
    with pytest.raises(RequestFailed, match="no/such/method was answered with error -32601") as failed:
        client.request("no/such/method")
    assert failed.value.code == -32601


@each_row("revision", REVISIONS)
def test_the_revision_is_the_requested_revision(revision: str) -> None:
    with Client(new_cafe(), revision=revision) as client:
        assert client.revision == revision


def test_an_unknown_revision_is_refused_with_the_known_revisions() -> None:
    with pytest.raises(ConfigurationError, match=r"Unknown revision '2020-01-01'; supported: 2024-11-05, "):
        Client(new_cafe(), revision="2020-01-01")


def test_a_client_declares_only_its_capabilities() -> None:
    with Client(new_cafe(), capabilities={}) as client:
        result = client.call_tool("milk", check=False)
        assert result.is_error
        assert client.answers.asked == []


def test_a_call_has_the_facts_of_its_caller(client: SyncClient) -> None:
    with Client(new_cafe(), meta={"user_email": "ada@example.org"}, revision=client.revision) as other:
        assert other.call("show_caller").text == "ada@example.org"
        assert other.call_tool("show_caller", meta={"user_email": "alan"}).text == "alan"
    assert client.call_tool("show_caller", check=False).is_error


def test_a_tool_gets_the_account_whose_token_is_a_secret_of_the_test() -> None:
    with Client(new_cafe(), secrets={"GITHUB_TOKEN": SECRET}) as client:
        assert client.call("show_account").text == f"{len(SECRET)} letters"
    with Client(new_cafe()) as client:
        assert client.call_tool("show_account", check=False).is_error


def test_a_folder_is_served_with_all_its_tools(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(TOOL)
    (tmp_path / "second.py").write_text(TOOL.replace("one", "two"))
    with Client(tmp_path) as client:
        assert [tool["name"] for tool in client.list_tools()] == ["one", "two"]


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_is_served_by_itself(tmp_path: Path, kind: type[str] | type[Path]) -> None:
    (tmp_path / "first.py").write_text(TOOL)
    (tmp_path / "second.py").write_text(TOOL.replace("one", "two"))
    with Client(kind(tmp_path / "first.py")) as client:
        assert client.call("one").text == "1"
        assert len(client.list_tools()) == 1


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"), Client(tmp_path / "nowhere"):
        pass


def test_two_folders_with_files_of_the_same_name_are_served_beside_each_other(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tools_of_it.py").write_text(TOOL.replace('"1"', f'"{name}"'))
    with Client(tmp_path / "one") as first, Client(tmp_path / "two") as second:
        assert (first.call("one").text, second.call("one").text) == ("one", "two")


async def test_a_client_that_is_used_outside_of_its_block_raises_an_error() -> None:
    with Client(new_cafe()) as client:
        pass
    with pytest.raises(Unmet, match="use it inside of `with Client"):
        client.call("greet", name="Ada")
    async with Client(new_cafe()) as awaited:
        pass
    with pytest.raises(Unmet, match="use it inside of `with Client"):
        await awaited.call("greet", name="Ada")


def test_a_recipe_can_be_used_again() -> None:
    recipe = Client(new_cafe())
    for _ in range(2):
        with recipe as client:
            assert client.call("greet", name="Ada").text == "Hello, Ada!"


def test_nothing_runs_on_when_the_block_has_ended(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(TOOL)

    def use() -> None:
        with Client(tmp_path) as client:
            client.call("one")
            assert any(item.name == "workbench client" for item in threading.enumerate())

    use()  # The threads of plain functions belong to the process: they are there from the first one on.
    before = set(threading.enumerate())
    use()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive(), thread.name


def test_a_prompt_is_named_by_its_function() -> None:
    app = MCPApp("inn")

    @app.prompt
    def invitation(guest: str) -> str:
        """Invite a guest."""
        return f"Invite {guest}."

    with Client(app) as client:
        assert client.get_prompt(invitation, guest="Ada").text == "Invite Ada."
        with pytest.raises(Unmet, match=r"new_cafe is not a prompt that is served; .* Served: invitation"):
            client.get_prompt(new_cafe)


def test_params_of_any_request_are_sent_in_their_json_form(client: SyncClient) -> None:
    result = client.request("tools/call", {"name": "take", "arguments": {"order": Order(dish="soup")}})
    assert result["content"] == [{"type": "text", "text": '{"dish": "soup", "count": 1}'}]


@each_row("revision", REVISIONS)
def test_a_tool_that_runs_as_a_task_only_is_called_as_any_other(revision: str) -> None:
    app = MCPApp("inn", toolkit="")

    @app.tool(execution={"taskSupport": "required"})
    async def bake() -> str:
        """Bake."""
        return "baked"

    with Client(app, revision=revision) as client:
        assert client.call(bake).text == "baked"


async def test_a_call_may_ask_for_a_task() -> None:
    app = MCPApp("inn", toolkit="")

    @app.tool(execution={"taskSupport": "optional"})
    async def bake() -> str:
        """Bake."""
        return "baked"

    async with Client(app, revision="2025-11-25") as client:
        assert (await client.call_tool(bake, task=True)).text == "baked"
        (task,) = (await client.request("tasks/list"))["tasks"]
        assert task["status"] == "completed"
        await client.call(bake)
        assert len((await client.request("tasks/list"))["tasks"]) == 1


@pytest.mark.parametrize(("revision", "reports"), [("2025-11-25", [1.0]), ("2026-07-28", [])])
async def test_a_task_reports_its_progress_where_the_revision_allows_it(revision: str, reports: list[float]) -> None:
    app = MCPApp("kitchen", toolkit="")

    @app.tool(execution={"taskSupport": "required"})
    async def bake(context: Context) -> str:
        """Bake a cake."""
        await context.progress.report(1, total=1)
        return "baked"

    async with Client(app, revision=revision) as client:
        result = await client.call_tool(bake)
        assert result.text == "baked"
        assert [item.progress for item in client.progress] == reports
