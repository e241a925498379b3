"""`MCPApp`, the names that authors import, and serving an app from its own file."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import server_core
from server_core import MCPApp, prompt, resource, tool
from server_core.catalog.declarations import declared_on


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


def test_a_decorated_function_stays_what_it_was() -> None:
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
        assert declared_on(plain) is not None


def test_tools_can_be_added_without_a_decorator() -> None:
    app = MCPApp("x", toolkit="")

    @tool(name="declared", timeout=3)
    def one() -> str:
        """D."""
        return ""

    app.add_tool(one)
    app.add_tool(one, name="other")
    catalog, problems = app.build()
    assert problems == ()
    assert {name: found.timeout for name, found in catalog.tools.items()} == {"declared": 3, "other": None}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((None,), TypeError, "MCPApp's name must be a string, not NoneType"),
        (("",), ValueError, "MCPApp's name cannot be empty"),
        (("x", 1), TypeError, "MCPApp's version must be a string, not int"),
        (("x", " "), ValueError, "MCPApp's version cannot be empty"),
    ],
)
def test_a_name_or_version_that_is_none_is_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MCPApp(*arguments)


@pytest.mark.parametrize("icons", ["a.png", [{"sizes": ["1x1"]}], [{"src": b"x"}], [{"src": "a", "theme": {1}}], [3]])
def test_icons_that_are_none_are_refused(icons: Any) -> None:
    with pytest.raises(TypeError, match="MCPApp's icons must be a list like"):
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
    assert answers[0]["result"]["serverInfo"] == {"name": "mine", "version": "1.2"}
    assert answers[1]["result"] == {"content": [{"type": "text", "text": "Hello Ada"}]}


def test_an_unknown_transport_is_told_and_is_a_mistake_of_usage(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER.replace("OPTIONS", "'carrier-pigeon'"))
    done = subprocess.run(
        [sys.executable, "server.py"], cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert "there is no transport 'carrier-pigeon'; use one of stdio, http" in done.stderr
    assert done.stdout == ""
