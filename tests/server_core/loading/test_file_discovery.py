"""Discovery: which files count, why others do not, and how the server is called; nothing is imported."""

import os
import sys
from pathlib import Path

import pytest

from server_core.catalog.identity import Identity
from server_core.errors import ConfigurationError
from server_core.loading import file_discovery
from server_core.loading.file_discovery import Discoverer, discover
from server_core.loading.package_source import open_project

pytestmark = pytest.mark.promises("discovery")

TOOL = "from server_core import tool\n@tool\ndef a() -> None: ...\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def discovered_files(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in discover(folder).files]


def skipped(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): reason for path, reason in discover(folder).skipped}


def test_a_file_with_declarations_is_discovered(tmp_path: Path) -> None:
    for text in (
        TOOL,
        "from server_core import tool as t\n@t(timeout=3)\nasync def a() -> None: ...\n",
        "import server_core\n@server_core.tool\ndef a() -> None: ...\n",
        "import server_core as sc\n@sc.tool()\ndef a() -> None: ...\n",
        "from server_core import resource\n@resource('a://b')\ndef a() -> str: ...\n",
        "from server_core import prompt\n@prompt\ndef a() -> str: ...\n",
        "from server_core import MCPApp\napp = MCPApp('x')\n",
        "from server_core import MCPApp as App\nthe = App('x')\n@the.tool\ndef a() -> None: ...\n",
        "import server_core\nserver: object = server_core.MCPApp('x')\n",
        "from .app import app\n@app.tool\ndef a() -> None: ...\n",
        "from shared import app\n@app.tool\ndef a() -> None: ...\n",
        "import shared\n@shared.app.tool\ndef a() -> None: ...\n",
        "from server_core import tool\nif True:\n    @tool\n    def a() -> None: ...\n",
        "from server_core import tool\na = tool(max)\n",
        "import server_core\na = server_core.tool(name='a')(max)\n",
        "from server_core import tool\ndef broken(:\n",
    ):
        write(tmp_path, {"a.py": text, "shared.py": ""})
        assert discovered_files(tmp_path) == ["a.py"]


def test_a_file_that_declares_nothing_is_skipped_with_the_reason(tmp_path: Path) -> None:
    for text, reason in (
        ("print('hello')\n", "it declares no tools"),
        ("", "it declares no tools"),
        ("from server_core import Context\ndef a() -> None: ...\n", "it declares no tools"),
        ("# from server_core import tool\n", "it declares no tools"),
        ("from server_core import tool\nprint(tool.deprecated, tool())\n", "it declares no tools"),
        ("from fastmcp import FastMCP\nmcp = FastMCP()\n@mcp.tool\ndef a() -> None: ...\n", "it declares no tools"),
        (
            "from arcade_tdk import tool\n# unlike server_core\n@tool\ndef a() -> None: ...\n",
            "its @tool comes from arcade_tdk, not from server_core",
        ),
        ("x = '.tool'\ndef broken(:\n", "it has a syntax error, and does not mention server_core"),
    ):
        write(tmp_path, {"a.py": text})
        assert discovered_files(tmp_path) == []
        assert skipped(tmp_path) == {"a.py": reason}


def test_tests_environments_and_other_projects_are_left_out_with_reasons(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "test_a.py": TOOL,
            "a_test.py": TOOL,
            "conftest.py": TOOL,
            ".venv/a.py": TOOL,
            ".git/a.py": TOOL,
            "node_modules/a.py": TOOL,
            "__pycache__/a.py": TOOL,
            "mine/pyvenv.cfg": "",
            "mine/a.py": TOOL,
            "other/pyproject.toml": "",
            "other/a.py": TOOL,
            "a.egg-info/a.py": TOOL,
            "deep/er/a.py": TOOL,
            "b.py": TOOL,
            "a.txt": TOOL,
        },
    )
    assert discovered_files(tmp_path) == ["b.py", "deep/er/a.py"]
    assert skipped(tmp_path) == {
        "a_test.py": "it is a test",
        "conftest.py": "it is a test",
        "test_a.py": "it is a test",
        ".venv": "it is hidden",
        ".git": "it is hidden",
        "__pycache__": "it contains installed or built files",
        "a.egg-info": "it contains installed or built files",
        "node_modules": "it contains installed or built files",
        "mine": "it is a virtual environment",
        "other": "it is a separate project; open it by itself",
    }
    folders = {str(path.relative_to(tmp_path)) for path in discover(tmp_path).folders}
    assert folders == {".", "deep", "deep/er"}


def test_nothing_of_the_author_is_imported(tmp_path: Path) -> None:
    write(tmp_path, {"very_special_name.py": TOOL + "raise SystemExit\n"})
    assert discovered_files(tmp_path) == ["very_special_name.py"]
    assert "very_special_name" not in sys.modules


def test_a_single_file_is_loaded_with_any_content(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n", "b.py": TOOL})
    assert discover(tmp_path / "a.py").files == (tmp_path / "a.py",)


@pytest.mark.parametrize("name", ["missing", "missing.py", "a.txt"])
def test_an_error_for_an_invalid_path_contains_it(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"a.txt": ""})
    with pytest.raises(ConfigurationError, match=name):
        discover(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_error_for_an_unreadable_folder_contains_its_path(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(ConfigurationError, match="closed cannot be read"):
        discover(tmp_path / "closed")


def test_a_broken_link_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to(tmp_path / "gone.py")
    assert discover(tmp_path).files == ()


def test_a_folder_that_links_to_itself_is_no_endless_walk(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": TOOL})
    (tmp_path / "loop").symlink_to(tmp_path)
    assert discovered_files(tmp_path) == ["a.py"]


def test_the_identity_is_read_from_a_literal_call(tmp_path: Path) -> None:
    for call, identity in (
        ("MCPApp('x')", Identity("x", "0.1.0", "x")),
        ("MCPApp()", Identity("ArcadeMCP", "0.1.0", "ArcadeMCP")),
        ("MCPApp(title='The X')", Identity("ArcadeMCP", "0.1.0", "The X")),
        ("MCPApp('x', 'v2', 'The X', 'Use it.')", Identity("x", "2.0.0", "The X", "Use it.")),
        ("MCPApp(name='x', version='2.0', instructions='a' 'b')", Identity("x", "2.0.0", "x", "ab")),
        ("MCPApp('x', version=VERSION)", Identity("x", "0.1.0", "x")),
        (
            "MCPApp('x', description='D', website_url='https://x.example', icons=[{'src': 'a', 'sizes': ['1x1']}])",
            Identity("x", "0.1.0", "x", None, "D", "https://x.example", ({"src": "a", "sizes": ["1x1"]},)),
        ),
        (
            "MCPApp('x', '1', 'X', 'I', 'INFO', 'http', '::1', 1, True, None, [{'src': 'a'}], 'D', 'https://x.example')",
            Identity("x", "1.0.0", "X", "I", "D", "https://x.example", ({"src": "a"},)),
        ),
        ("MCPApp('x', icons=[{'src': b'a'}])", Identity("x", "0.1.0", "x")),
        ("MCPApp('x', icons=[{'src': {1, 2}}])", Identity("x", "0.1.0", "x")),
        ("MCPApp('x', icons=ICONS, title=TITLE)", Identity("x", "0.1.0", "x")),
    ):
        write(tmp_path, {"server.py": f"from server_core import MCPApp\nVERSION = TITLE = ICONS = '9'\napp = {call}\n"})
        assert discover(tmp_path).identity == identity


@pytest.mark.parametrize("call", ["MCPApp('a b')", "MCPApp('x', 'abc')", "MCPApp(**OPTIONS)", "MCPApp(*OPTIONS)"])
def test_an_identity_that_is_invalid_or_known_only_at_run_time_is_not_guessed(tmp_path: Path, call: str) -> None:
    write(tmp_path, {"nice/server.py": f"from server_core import MCPApp\napp = {call}\n"})
    identity = discover(tmp_path / "nice").identity
    assert (identity.name, identity.version, identity.title) == ("nice", "0.1.0", None)


def test_without_a_literal_call_the_identity_is_the_projects_or_the_folders(tmp_path: Path) -> None:
    write(tmp_path, {"nice/server.py": "from server_core import MCPApp\nN = 'x'\napp = MCPApp(N)\n"})
    assert discover(tmp_path / "nice").identity == Identity("nice", "0.1.0", is_of_app=False)
    assert discover(tmp_path / "nice" / "server.py").identity == Identity("server", "0.1.0", is_of_app=False)
    write(tmp_path, {"pyproject.toml": "[project]\nname = 'proj'\nversion = '3.1'\n"})
    assert discover(tmp_path / "nice").identity == Identity("proj", "3.1", is_of_app=False)
    write(tmp_path, {"pyproject.toml": "not toml ["})
    assert discover(tmp_path / "nice").identity == Identity("nice", "0.1.0", is_of_app=False)


def test_a_file_that_declared_tools_still_counts_while_its_syntax_is_wrong(tmp_path: Path) -> None:
    write(tmp_path, {"shared.py": "", "a.py": "from shared import app\n@app.tool\ndef a() -> None: ...\n"})
    discoverer = Discoverer()
    assert discoverer.discover(tmp_path).files == (tmp_path / "a.py",)
    write(tmp_path, {"a.py": "from shared import app\n@app.tool\ndef a( -> None: ...\n"})
    discoverer.forget(tmp_path / "a.py")
    assert discoverer.discover(tmp_path).files == (tmp_path / "a.py",)


def test_a_file_is_loaded_once_regardless_of_links_to_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project, {"b.py": TOOL})
    write(tmp_path, {"elsewhere/far.py": TOOL})
    (project / "a.py").symlink_to("b.py")
    (project / "c.py").symlink_to(tmp_path / "elsewhere" / "far.py")
    (project / "d.py").symlink_to(tmp_path / "elsewhere" / "far.py")
    discovery = discover(project)
    assert discovery.files == (project / "b.py", tmp_path / "elsewhere" / "far.py")
    assert discovery.skipped == (
        (project / "a.py", f"it is a link to {project / 'b.py'}, which is loaded under that name"),
        (project / "d.py", f"it is a link to {tmp_path / 'elsewhere' / 'far.py'}, which is loaded under that name"),
    )


@pytest.mark.parametrize(
    ("call", "known"),
    [
        ('MCPApp("a")', False),
        ('MCPApp("a", middleware=[Guard()])', True),
        ("MCPApp(NAME, middleware=[Guard()])", True),
        ('MCPApp("a", **options)', True),
    ],
)
def test_an_app_that_is_given_middleware_is_known_before_it_is_loaded(tmp_path: Path, call: str, known: bool) -> None:
    (tmp_path / "server.py").write_text(f"from server_core import MCPApp\napp = {call}\n")
    assert discover(tmp_path).identity.has_middleware is known
    assert discover(tmp_path / "server.py").identity.has_middleware is known


def test_the_tools_of_each_file_are_known_by_the_names_of_their_functions(tmp_path: Path) -> None:
    text = (
        "import server_core\nfrom server_core import MCPApp, prompt, tool as t\napp = MCPApp('x')\n"
        "@t\ndef one() -> None: ...\n@app.tool(name='zwei')\nasync def two() -> None: ...\n"
        "@server_core.tool()\ndef three() -> None: ...\n@prompt\ndef four() -> None: ...\n"
    )
    write(tmp_path, {"a.py": text})
    assert discover(tmp_path).tools == {tmp_path / "a.py": ("one", "two", "three")}
    assert discover(tmp_path / "a.py").tools == {tmp_path / "a.py": ("one", "two", "three")}


def test_a_tool_inside_of_a_function_is_noted_since_nothing_serves_it(tmp_path: Path) -> None:
    text = "from server_core import tool\ndef outer() -> None:\n    @tool\n    def inner() -> None: ...\n"
    write(tmp_path, {"a.py": text})
    (note,) = discover(tmp_path).notes
    assert (note.file, note.line, note.is_moot_if_served) == (tmp_path / "a.py", 3, True)
    assert note.message == "'inner' is declared inside the function 'outer', so it is not served."


def test_a_function_that_creates_an_app_with_tools_gets_no_note(tmp_path: Path) -> None:
    text = (
        "from server_core import MCPApp\ndef make() -> MCPApp:\n    app = MCPApp('x')\n"
        "    @app.tool\n    def inner() -> None: ...\n    return app\n"
    )
    write(tmp_path, {"a.py": text})
    assert discover(tmp_path).notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "from arcade_tdk import tool\n@tool\ndef a() -> None: ...\n",
        "import arcade_mcp_server\n@arcade_mcp_server.tool\ndef a() -> None: ...\n",
        "from arcade_mcp_server import MCPApp\napp = MCPApp('x')\n@app.tool\ndef a() -> None: ...\n",
    ],
)
def test_a_file_for_arcade_is_not_served_and_has_a_note_with_the_fix(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.py": text})
    discovery = discover(tmp_path)
    assert discovery.files == ()
    assert discovery.skipped[0][1].startswith("its @tool comes from arcade_")
    (note,) = discovery.notes
    assert (note.line, note.message.partition(":")[0]) == (1, "a.py is not served")
    assert note.fix.startswith("Change the import to server_core")


@pytest.mark.parametrize(
    ("text", "is_reported"),
    [
        ("@tool\ndef a() -> None: ...\n", True),
        ("from server_core import Context\n\n@tool(timeout=1)\ndef a() -> None: ...\n", True),
        ("from langchain import tool\n\n@tool\ndef a() -> None: ...\n", False),
        ("from mine import *\n\n@tool\ndef a() -> None: ...\n", False),
        ("tool = print\n\n@tool\ndef a() -> None: ...\n", False),
        ("def tool(function): ...\n\n@tool\ndef a() -> None: ...\n", False),
    ],
)
def test_a_forgotten_import_is_reported(tmp_path: Path, text: str, is_reported: bool) -> None:
    write(tmp_path, {"a.py": text})
    fixes = [note.fix for note in discover(tmp_path).notes]
    assert fixes == ["Write `from server_core import tool` at its top."] * is_reported


def test_a_package_that_is_opened_as_a_folder_knows_its_own_absolute_imports(tmp_path: Path) -> None:
    write(tmp_path, {"kit/__init__.py": "", "kit/app.py": "from server_core import MCPApp\napp = MCPApp('x')\n"})
    write(tmp_path, {"kit/a.py": "from kit.app import app\n@app.tool\ndef a() -> None: ...\n"})
    assert discovered_files(tmp_path / "kit") == ["a.py", "app.py"]


def test_folders_that_contain_everything_are_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, temporary = tmp_path / "home" / "ada", tmp_path / "temporary"
    temporary.mkdir()
    write(home, {"tools.py": TOOL, "cafe/tools.py": TOOL})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(temporary))
    for folder, what in (
        (home, "your home folder"),
        (Path("/"), "the root folder"),
        (temporary, "a folder for temporary files of all programs"),
    ):
        result = discover(folder)
        assert (result.files, result.folders) == ((), frozenset())
        assert result.refusal == f"{folder} is {what}, and is not searched for tools."
        assert result.skipped == ((folder, result.refusal),)
    assert discover(home / "tools.py").files == (home / "tools.py",)
    assert discover(home / "cafe").files == (home / "cafe" / "tools.py",)
    write(home, {"pyproject.toml": ""})
    assert len(discover(home).files) == 2


@pytest.mark.parametrize(("limit", "text"), [("MAX_FILES", "2 Python files"), ("MAX_ENTRIES", "2 files")])
def test_a_folder_with_too_many_files_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, text: str
) -> None:
    write(tmp_path, {"a/tools.py": TOOL, "b/tools.py": TOOL})
    assert len(discover(tmp_path).files) == 2
    write(tmp_path, {"b/more.py": TOOL})
    monkeypatch.setattr(file_discovery, limit, 2)
    assert discover(tmp_path).refusal == f"{tmp_path} has more than {text}, and is not searched for tools."


def test_a_folder_that_is_not_searched_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path, {"tools.py": TOOL})
    generation = open_project(tmp_path).load()
    (problem,) = generation.problems
    assert (dict(generation.catalog.tools), problem.severity) == ({}, "error")
    assert "is your home folder" in problem.message
    assert "workbench new NAME" in problem.fix
