"""`MCPApp`, the names that authors import, and serving an app from its own file."""

import importlib
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import server_core
from server_core import MCPApp, prompt, resource, tool
from server_core.authoring.run_options import RunOptions, choose_options
from server_core.catalog.declarations import declaration_of
from server_core.errors import ConfigurationError, ToolkitLoadError
from server_core.execution.prompts_and_resources import read_resource
from server_core.protocol.revisions import LATEST
from server_core.serving.handshake import server_info
from server_core.settings import Settings
from server_core.types import Icon
from tests.tables import each_row

pytestmark = pytest.mark.promises("app")


def test_every_public_name_can_be_imported() -> None:
    for name in server_core.__all__:
        assert getattr(server_core, name) is not None
        assert name in dir(server_core)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = server_core.nonsense


def test_importing_the_package_and_declaring_costs_no_heavy_import() -> None:
    program = """
        import sys
        import server_core
        from server_core import MCPApp, tool, resource, prompt
        app = MCPApp("x", toolkit="")
        @app.tool
        def a() -> str: return ""
        heavy = {"pydantic", "httpx", "typer", "textual", "rich", "websockets", "uvicorn", "sqlite3", "watchfiles"}
        print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_decorated_function_is_unchanged() -> None:
    app = MCPApp("x", toolkit="")

    def plain(a: int) -> int:
        return a + 1

    for decorate in (
        tool,
        tool(),
        app.tool,
        app.tool(),
        prompt,
        prompt(),
        app.prompt,
        resource("a://b"),
        app.resource("a://b"),
    ):
        assert decorate(plain) is plain  # type: ignore[operator]
        assert plain(1) == 2
        assert declaration_of(plain) is not None


def test_tools_can_be_added_without_a_decorator() -> None:
    app = MCPApp("x", toolkit="")

    @tool(name="declared", timeout=3)
    def first() -> str:
        """D."""
        return ""

    app.add_tool(first)
    app.add_tool(first, name="other")
    catalog, problems = app.build()
    assert problems == ()
    assert {name: tool.timeout for name, tool in catalog.tools.items()} == {"declared": 3, "other": 3}


def test_a_name_with_a_hyphen_prefixes_its_tools_as_one_with_an_underscore() -> None:
    for name in ("tea-house", "tea_house"):
        app = MCPApp(name)

        @app.tool
        def hello() -> str:
            """Say hello."""
            return ""

        catalog, _ = app.build()
        assert list(catalog.tools) == ["TeaHouse_Hello"]


NAMES = "must contain only alphanumeric characters, hyphens and underscores"
VERSIONS = "must be a valid semver string (e.g., '1.0.0', '1.2.3-beta.1'), got"


def test_a_name_or_version_that_breaks_a_rule_is_refused() -> None:
    for arguments, error, message in (
        ((5,), TypeError, "name must be a string"),
        (("",), ValueError, "name cannot be empty"),
        (("_a",), ValueError, "name cannot start with an underscore"),
        (("a__b",), ValueError, "name cannot have consecutive underscores"),
        (("a_",), ValueError, "name must end with an alphanumeric character"),
        (("-a",), ValueError, "name cannot start with a hyphen"),
        (("a-",), ValueError, "name must end with an alphanumeric character"),
        (("a b",), ValueError, f"name {NAMES}"),
        (("a\n",), ValueError, f"name {NAMES}"),
        (("x", None), TypeError, "version must be a string"),
        (("x", "1.2.3.4"), ValueError, f"version {VERSIONS} '1.2.3.4'"),
        (("x", ""), ValueError, f"version {VERSIONS} 'version cannot be empty'"),
        (("x", "01.0.0"), ValueError, f"version {VERSIONS} '01.0.0'"),
        (("x", "abc"), ValueError, f"version {VERSIONS} 'abc'"),
        (("x", "1.0.0dev"), ValueError, f"version {VERSIONS} '1.0.0dev'"),
        (("x", " 1.0.0"), ValueError, f"version {VERSIONS} ' 1.0.0'"),
        (("x", "1-a"), ValueError, f"version {VERSIONS} '1-a'"),
    ):
        with pytest.raises(error) as raised:
            MCPApp(*arguments)
        assert str(raised.value) == f"MCPApp's {message}"
        app = MCPApp("x")
        with pytest.raises(error):
            setattr(app, "version" if len(arguments) > 1 else "name", arguments[-1])
        assert (app.name, app.version) == ("x", "0.1.0")


def test_a_version_is_completed() -> None:
    for version, normal in (
        ("1", "1.0.0"),
        ("1.2", "1.2.0"),
        ("v1.2.3", "1.2.3"),
        ("v0", "0.0.0"),
        ("10.20.30", "10.20.30"),
        ("1.2.3-beta.1", "1.2.3-beta.1"),
        ("1.2.3-beta.1+build.789", "1.2.3-beta.1+build.789"),
    ):
        app = MCPApp("ok_1", version)
        assert app.version == app.identity.version == app.toolkit.version == normal
        app.version = "v3"
        assert app.identity.version == "3.0.0"


def test_an_app_needs_no_arguments() -> None:
    app = MCPApp()
    assert (app.name, app.version, app.title, app.instructions) == ("ArcadeMCP", "0.1.0", "ArcadeMCP", None)
    app.name = "renamed"
    assert (app.identity.name, app.toolkit.name) == ("renamed", "ArcadeMCP")


def test_the_arguments_of_an_app_can_be_read_and_changed() -> None:
    icons = [{"src": "https://example.com/icon.png"}]
    app = MCPApp("shop", description="Sells.", website_url="https://example.com", icons=icons, port=9000)
    assert (app.title, app.instructions, app.description) == ("shop", None, "Sells.")
    assert (app.website_url, list(app.icons)) == ("https://example.com", icons)
    assert (app.transport, app.host, app.port, app.reload) == ("stdio", "127.0.0.1", 9000, False)
    app.title, app.instructions, app.description = "The shop", "Be kind.", None
    assert (
        app.identity
        == MCPApp(
            "shop", title="The shop", instructions="Be kind.", website_url="https://example.com", icons=icons
        ).identity
    )


def test_a_tool_may_be_added_with_its_description_and_name_as_in_arcade() -> None:
    app = MCPApp("shop")
    app.add_tool(lambda: None, "Close it.", "close_shop")
    assert [(tool.name, tool.description) for tool in app.tools.list()] == [("Shop_CloseShop", "Close it.")]


def test_the_identity_of_an_app_is_as_on_the_wire() -> None:
    icon = Icon(src="https://example.com/icon.png", mimeType="image/png", sizes=["48x48"])
    app = MCPApp("x", title="The X", icons=[icon], description="D", website_url="https://example.com")
    assert server_info(app.identity, LATEST) == {
        "name": "x",
        "version": "0.1.0",
        "title": "The X",
        "description": "D",
        "websiteUrl": "https://example.com",
        "icons": [{"src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48"]}],
    }


@each_row(
    ("options", "error", "message"),
    [
        ({"auth": object()}, TypeError, "auth must be a token validator"),
        (
            {"log_level": "LOUD"},
            ValueError,
            "log_level must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL, got 'LOUD'",
        ),
        ({"allowed_origins": "https://a.example"}, TypeError, "allowed_origins must be a list"),
        ({"allowed_origins": [3]}, TypeError, "allowed_origins must be a list"),
        ({"colour": "red"}, TypeError, "unexpected keyword argument 'colour'"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MCPApp("x", **options)


@each_row("icons", ["a.png", [{"sizes": ["1x1"]}], [{"src": b"x"}], [{"src": "a", "theme": {1}}], [3]])
def test_icons_that_are_none_are_refused(icons: Any) -> None:
    with pytest.raises(TypeError, match="MCPApp's icons must be a list such as"):
        MCPApp("x", icons=icons, toolkit="")


SERVER = """
from server_core import MCPApp
app = MCPApp("mine", "1.2", toolkit="")

@app.tool
def greet(name: str) -> str:
    "Greet."
    print("stray")
    return f"Hello {name}"

if __name__ == "__main__":
    app.run(OPTIONS)
"""


@pytest.mark.parametrize("options", ["", "transport='stdio', reload=True"])
def test_a_file_that_runs_its_app_serves_on_stdio(tmp_path: Path, options: str) -> None:
    (tmp_path / "server.py").write_text(SERVER.replace("OPTIONS", options))
    messages = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "Ada"}}},
    ]
    with subprocess.Popen(
        [sys.executable, "server.py"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(20) == 0
    assert answers[0]["result"]["serverInfo"] == {"name": "mine", "version": "1.2.0", "title": "mine"}
    assert answers[1]["result"] == {"content": [{"type": "text", "text": "Hello Ada"}]}


def started(
    folder: Path, options: str = "", source: str = SERVER, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run the app of a file, with a client that sends nothing."""
    (folder / "server.py").write_text(source.replace("OPTIONS", options))
    return subprocess.run(
        [sys.executable, "server.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=os.environ | environment,
    )


def test_an_unknown_transport_is_an_error(tmp_path: Path) -> None:
    done = started(tmp_path, "transport='carrier-pigeon'")
    assert done.returncode != 0
    assert "Invalid transport: carrier-pigeon. Use one of stdio, http, streamable-http, streamable." in done.stderr
    assert done.stdout == ""


def test_an_app_without_anything_to_offer_reports_it(tmp_path: Path) -> None:
    source = "from server_core import MCPApp\nMCPApp('empty').run()\n"
    done = started(tmp_path, source=source)
    assert done.returncode == 1
    assert "empty has no tools, resources or prompts; add some with @app.tool" in done.stderr


def test_log_messages_go_to_standard_error_from_the_level_of_the_app_on(tmp_path: Path) -> None:
    logging_code = (
        "\n    import logging\n    log = logging.getLogger('mine')\n    log.warning('late')\n    log.info('never')\n"
    )
    done = started(tmp_path, source=SERVER.replace('toolkit=""', 'toolkit="", log_level="WARNING"') + logging_code)
    assert done.returncode == 0
    assert "WARNING mine: late" in done.stderr
    assert "never" not in done.stderr


def test_run_prefers_the_settings_to_its_arguments_and_those_to_the_constructor() -> None:
    made = RunOptions("http", "::1", 1, True)
    arguments = {"transport": "stdio", "port": 3, "reload": None}
    assert choose_options({}, made, Settings()) == made
    assert choose_options(arguments, made, Settings()) == RunOptions("stdio", "::1", 3, True)
    assert choose_options(arguments, made, Settings(server_port=0)) == RunOptions("stdio", "::1", 0, True)
    settings = Settings(server_transport="streamable", server_host="a", server_reload=False)
    assert choose_options(arguments, made, settings) == RunOptions("streamable", "a", 3, False)


def test_a_transport_that_there_is_not_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Invalid transport: sse"):
        choose_options({"transport": "sse"}, RunOptions("stdio", "127.0.0.1", 8000, False), Settings())


def test_an_invalid_setting_ends_the_server_with_a_single_sentence(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("ARCADE_SERVER_PORT=70000\n")
    done = started(tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        f"workbench: ARCADE_SERVER_PORT is '70000' in {tmp_path / '.env'}, line 1, but must be a whole number "
        "from 0 to 65535; correct or remove it there.\n"
    )


async def test_text_and_files_are_added_as_resources(tmp_path: Path) -> None:
    app = MCPApp("x")
    (tmp_path / "a.md").write_text("# Ünï")
    (tmp_path / "b.bin").write_bytes(b"\xff\x00")
    app.add_text_resource("x://text", text="T")
    app.add_file_resource("x://a", path=tmp_path / "a.md", name="a", title="A")
    app.add_file_resource("x://b", path=str(tmp_path / "b.bin"))
    app.add_resource("x://{part}", handler=lambda part="": f"part {part}", mime_type="text/x", description=None)
    catalog = app.build()[0]
    assert [resource.definition for resource in catalog.resources.values()] == [
        {"uri": "x://text", "name": "x://text", "mimeType": "text/plain"},
        {"uri": "x://a", "name": "a", "title": "A", "mimeType": "text/markdown"},
        {"uri": "x://b", "name": "x://b", "mimeType": "application/octet-stream"},
    ]
    read = {uri: (await read_resource(catalog, uri, None))[0] for uri in catalog.resources}
    assert [item.get("text") for item in read.values()] == ["T", "# Ünï", None]
    assert read["x://b"]["blob"] == "/wA="
    (tmp_path / "a.md").write_text("new")
    assert (await read_resource(catalog, "x://a", None))[0]["text"] == "new"


def test_text_and_files_have_fixed_uris() -> None:
    app = MCPApp("x")
    advice = r"Use add_resource\(\) with a handler that accepts template parameters instead\."
    with pytest.raises(ValueError, match=rf"not supported for static text resources: 'x://{{a}}'\. {advice}"):
        app.add_text_resource("x://{a}", text="")
    with pytest.raises(ValueError, match=rf"not supported for file resources: 'x://{{a}}'\. {advice}"):
        app.add_file_resource("x://{a}", path="a")
    assert app.declarations == ()


def test_the_tools_of_a_module_or_package_are_added_whether_it_is_installed_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "a_package"
    (package / "deep").mkdir(parents=True)
    tools = "from server_core import tool\n\n\n@tool\ndef {}() -> str:\n    'D.'\n    return ''\n"
    (package / "__init__.py").write_text(tools.format("top") + "from a_package.deep.more import below\n")
    (package / "__main__.py").write_text("raise SystemExit(3)\n")
    (package / "deep" / "__init__.py").write_text("")
    (package / "deep" / "more.py").write_text(tools.format("below") + "\n\ndef no_tool():\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    app = MCPApp("my_kit")
    app.add_tools_from_module(importlib.import_module("a_package"))
    assert [tool.name for tool in app.tools.list()] == ["MyKit_Top", "MyKit_Below"]
    with pytest.raises(ToolkitLoadError, match=r"The module a_package\.deep has no function|json has no function"):
        app.add_tools_from_module(json)
    (package / "deep" / "broken.py").write_text("1 / 0\n")
    with pytest.raises(ToolkitLoadError, match=r"Could not import module a_package\.deep\.broken\. Reason: division"):
        app.add_tools_from_module(importlib.import_module("a_package"))


def test_a_tool_of_an_app_can_be_deprecated_by_the_decorator_of_the_app() -> None:
    app = MCPApp("x")

    @app.tool
    @app.tool.deprecated("Use new.")
    def old() -> str:
        """Be old."""
        return ""

    (tool,) = app.tools.list()
    assert tool.description == "[DEPRECATED: Use new.] Be old."


def test_arguments_for_a_cloud_are_accepted_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    MCPApp("shop", arcade_api_key="k-123", arcade_api_url="https://cloud.example", auth_disabled=True)
    assert [record.getMessage().split()[1] for record in caplog.records] == [
        "auth_disabled",
        "arcade_api_key",
        "arcade_api_url",
    ]
    assert "k-123" not in caplog.text
