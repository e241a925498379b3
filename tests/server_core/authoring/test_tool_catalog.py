"""`ToolCatalog`: tools put together by hand, and an app and an ASGI application made of them."""

import importlib
from pathlib import Path
from types import ModuleType

import httpx
import pytest

from server_core import FullyQualifiedName, MCPApp, ToolCatalog, Toolkit, create_arcade_mcp, tool
from server_core.authoring.factories import app_of
from server_core.catalog.naming import Naming
from server_core.errors import ToolDefinitionError, ToolInputSchemaError, ToolkitLoadError
from server_core.settings import MCPSettings

pytestmark = pytest.mark.promises("tool names")


@tool
def greet_user(name: str) -> str:
    """Greet."""
    return f"Hello {name}"


@tool
def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


def new_catalog(**rules: object) -> ToolCatalog:
    """Two tools in a toolkit of a version, and one in another."""
    catalog = ToolCatalog(Naming(**rules))  # type: ignore[arg-type]
    for function in (greet_user, add):
        catalog.add_tool(function, Toolkit("echo_server", "1.2.3", "Echoes."))
    catalog.add_tool(add, "Other", toolkit_version="2.0.0", toolkit_description="Else.")
    return catalog


def test_tools_are_stored_by_their_qualified_names_in_the_order_of_adding() -> None:
    catalog = new_catalog()
    names = [str(name) for name in catalog.get_tool_names()]
    assert names == ["EchoServer.GreetUser", "EchoServer.Add", "Other.Add"]
    assert [tool.definition.name for tool in catalog] == ["EchoServer_GreetUser", "EchoServer_Add", "Other_Add"]
    assert (len(catalog), catalog.get_tool_count(), catalog.is_empty()) == (3, 3, False)
    assert ToolCatalog().is_empty()


def test_the_toolkit_of_a_package_has_its_name_without_the_prefix_of_arcade() -> None:
    assert Toolkit(name="arcade_math", package_name="arcade_math").name == "math"
    assert Toolkit(name="myarcade_math", package_name="x").name == "myarcade_math"
    assert Toolkit("arcade_math").name == "arcade_math"


def test_a_tool_is_returned_by_a_name_with_its_toolkit() -> None:
    catalog = new_catalog()
    name = FullyQualifiedName.from_toolkit("GreetUser", Toolkit("echo_server", "1.2.3"))
    assert (str(name), name.toolkit_version) == ("EchoServer.GreetUser", "1.2.3")
    assert catalog.get_tool(name).tool is greet_user


def test_a_tool_has_its_description_and_origin() -> None:
    catalog = ToolCatalog()
    module = importlib.import_module(__name__)
    catalog.add_tool(add, Toolkit("kit", "1.0.0", package_name="arcade_kit"), module)
    (tool,) = catalog
    assert (tool.tool, tool.name, tool.version, tool.description) == (add, "Add", "1.0.0", "Add.")
    assert not tool.requires_auth
    assert (tool.meta.module, tool.meta.toolkit, tool.meta.package) == (__name__, "kit", "arcade_kit")
    assert tool.meta.path == module.__file__
    assert tool.meta.date_added.tzinfo is not None


def test_names_ignore_case_and_a_version_matters_only_if_given() -> None:
    catalog = new_catalog()
    name = FullyQualifiedName("greetuser", "ECHOSERVER")
    assert catalog.get_tool(name) is catalog[name]
    assert catalog[name].tool is greet_user
    versioned = FullyQualifiedName("GreetUser", "EchoServer", "1.2.3")
    assert catalog.get_tool(versioned).tool is greet_user
    assert versioned in catalog
    assert name not in catalog
    with pytest.raises(ValueError, match=r"Tool EchoServer\.GreetUser@2 not found in the catalog\."):
        catalog.get_tool(FullyQualifiedName("GreetUser", "EchoServer", "2"))
    with pytest.raises(ValueError, match=r"Tool EchoServer\.Nothing not found\."):
        catalog.get_tool(FullyQualifiedName("Nothing", "EchoServer"))


def test_a_tool_is_got_by_a_text() -> None:
    catalog = new_catalog()
    assert catalog.get_tool_by_name("other.add").definition.name == "Other_Add"
    assert catalog.get_tool_by_name("add").definition.name == "EchoServer_Add"
    assert catalog.get_tool_by_name("add", version="2.0.0").definition.name == "Other_Add"
    assert catalog.get_tool_by_name("Other_Add", separator="_").definition.name == "Other_Add"
    for name, version in (("nothing", None), ("Other.Nothing", None), ("add", "9"), ("Other.Add", "9")):
        with pytest.raises(ValueError, match="not found"):
            catalog.get_tool_by_name(name, version)


def test_a_tool_is_returned_by_its_function() -> None:
    catalog = new_catalog()
    assert catalog.find_tool_by_func(greet_user).qualified_name == "EchoServer.GreetUser"
    with pytest.raises(ValueError, match="not found in the catalog"):
        catalog.find_tool_by_func(print)


def test_all_errors_of_a_tool_are_raised_when_it_is_added() -> None:
    catalog = ToolCatalog()

    def bad(a, *rest: int) -> str:  # type: ignore[no-untyped-def]
        """D."""
        return str(a)

    with pytest.raises(ToolDefinitionError) as raised:
        catalog.add_tool(bad, "kit")
    assert isinstance(raised.value, ToolInputSchemaError)
    assert str(raised.value).startswith("[TOOL_DEFINITION_BAD_INPUT_SCHEMA] ToolInputSchemaError in definition of tool")
    (other,) = raised.value.__notes__
    assert "rest" in other
    assert __file__ in other
    assert catalog.is_empty()


def test_a_second_tool_with_the_same_name_is_refused() -> None:
    catalog = ToolCatalog()
    catalog.add_tool(add, "tk")
    with pytest.raises(ToolkitLoadError) as raised:
        catalog.add_tool(add, "tk")
    assert str(raised.value) == "Tool 'Add' in server 'tk' already exists in the catalog."
    with pytest.raises(ValueError, match="A server name or server must be provided"):
        catalog.add_tool(add, "")
    assert len(catalog) == 1


def test_disabled_tools_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(new_catalog(disabled_tools=["echoserver.add"])) == 2
    assert len(new_catalog(disabled_toolkits=["echo_server"])) == 1
    monkeypatch.setenv("ARCADE_DISABLED_TOOLKITS", "Kit")
    catalog = ToolCatalog()
    catalog.add_tool(add, "kit")
    assert catalog.is_empty()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that no package has brought, with two tools."""
    lines = [
        "from server_core import tool",
        *(f"@tool\ndef {name}() -> str:\n    'D.'\n    return ''" for name in "ab"),
    ]
    (tmp_path / "arcade_letters.py").write_text("\n\n\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module("arcade_letters")


def test_a_module_is_added_under_its_name_or_another(module: ModuleType) -> None:
    catalog = ToolCatalog()
    catalog.add_module(module)
    catalog.add_module(module, "other_kit", "1.0.0", "D")
    assert [str(name) for name in catalog.get_tool_names()] == ["Letters.A", "Letters.B", "OtherKit.A", "OtherKit.B"]
    last = list(catalog)[-1]
    assert last.version == "1.0.0"
    assert last.meta.path == module.__file__


def test_a_toolkit_is_added_by_the_names_of_its_functions(module: ModuleType) -> None:
    catalog = ToolCatalog()
    catalog.add_toolkit(Toolkit("kit", tools={"arcade_letters": ["b"]}), version="3.0.0")
    assert [(str(name), name.toolkit_version) for name in catalog.get_tool_names()] == [("Kit.B", "3.0.0")]
    with pytest.raises(ToolkitLoadError, match="Could not import tool c in module arcade_letters"):
        catalog.add_toolkit(Toolkit("kit", tools={"arcade_letters": ["c"]}))
    with pytest.raises(ToolkitLoadError, match="Could not import module no_such_module"):
        catalog.add_toolkit(Toolkit("kit", tools={"no_such_module": ["c"]}))


def test_an_app_is_created_from_a_catalog_and_its_tools_stay_in_their_toolkits() -> None:
    app = app_of(new_catalog(), name="front", version="1")
    assert [tool.name for tool in app.tools.list()] == ["EchoServer_GreetUser", "EchoServer_Add", "Other_Add"]
    assert (app.name, app.version) == ("front", "1.0.0")
    assert app_of(ToolCatalog(), MCPSettings.from_env()).name == MCPApp().name


async def test_a_catalog_is_served_as_an_asgi_application() -> None:
    application = create_arcade_mcp(new_catalog(), name="front")
    async with (
        application.lifespan(),
        httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client,
    ):
        accept = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "0"}}
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        answer = await client.post("/mcp", json=request, headers=accept)
        assert answer.status_code == 200
        accept["mcp-session-id"] = answer.headers["mcp-session-id"]
        call = {"name": "Other.Add", "arguments": {"a": 2, "b": 3}}
        request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
        await client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=accept)
        answer = await client.post("/mcp", json=request, headers=accept)
    assert '"structuredContent":{"result":5}' in answer.text.replace(" ", "") or '"text":"5"' in answer.text
