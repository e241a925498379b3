"""Folders whose files require tokens: which settings apply while a file cannot be loaded."""

from pathlib import Path
from textwrap import dedent

import pytest

from server_core.catalog.identity import DEFAULT_NAME, Identity
from server_core.loading.file_source import FileSource
from server_core.loading.project import Generation, Project
from server_core.records.tap import Tap
from server_core.resource_server.admission import Admission, ClosedGate, Denial, Gate
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.toolkit import secret_values

pytestmark = pytest.mark.promises("resource server")

SERVER = dedent(
    """
    from server_core import MCPApp
    from server_core.resource_server import AuthorizationServerEntry, ResourceServerAuth

    ISSUER = "https://as.example.com"
    SERVERS = [AuthorizationServerEntry(ISSUER, ISSUER, ISSUER + "/jwks")]
    app = MCPApp("door", auth=ResourceServerAuth(SERVERS, "https://mcp.example.com/mcp"))

    @app.tool
    def guarded() -> str:
        "A tool."
        return "in"
    """
)
OPEN = dedent(
    """
    from server_core import tool

    @tool
    def other() -> str:
        "Another tool."
        return "in"
    """
)


class Served:
    """A folder that is served, and loaded again and again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._project: Project | None = None
        self._server = Server(Tap(), Settings(), secret_values, Identity(DEFAULT_NAME, "1.0.0"))

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self._folder / f"{name}.py").write_text(text)

    def remove(self, name: str) -> None:
        (self._folder / f"{name}.py").unlink()

    def load(self) -> Generation:
        """Load everything, for the first time or again."""
        if self._project is None:
            self._project = Project(FileSource(self._folder, Settings()))
            generation = self._project.load()
        else:
            generation = self._project.reload([self._folder / "server.py", self._folder / "tools.py"])
        self._server.swap(generation)
        return generation

    async def gate(self) -> Gate | None:
        return await self._server.gate()


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path)


async def test_the_app_of_a_folder_requires_tokens_for_all_its_files(served: Served) -> None:
    served.write(server=SERVER, tools=OPEN)
    served.load()
    assert isinstance(await served.gate(), Admission)


@pytest.mark.parametrize(
    "broken",
    [
        SERVER.replace("https://as.example.com", "http://as.example.com"),
        f"import nothing_of_this_name\n{SERVER}",
        f"{SERVER}\ndef (",
        SERVER.replace('"door", auth=', '"door", *["1.0.0"], **{"auth": None}, x='),
    ],
    ids=["a wrong address", "an import that fails", "wrong syntax", "options that are known at run time"],
)
async def test_all_requests_are_refused_while_the_file_cannot_be_loaded(served: Served, broken: str) -> None:
    served.write(server=broken, tools=OPEN)
    assert "other" in served.load().catalog.tools
    gate = await served.gate()
    assert isinstance(gate, ClosedGate)
    denied = await gate.check({"authorization": "Bearer x"}, ())
    assert isinstance(denied, Denial)
    assert (denied.status, denied.challenge) == (503, "")
    served.write(server=SERVER)
    served.load()
    assert isinstance(await served.gate(), Admission)


async def test_a_reload_that_fails_leaves_the_door_as_it_was(served: Served) -> None:
    served.write(server=SERVER, tools=OPEN)
    served.load()
    for broken in (f"import nothing_of_this_name\n{SERVER}", f"{SERVER}\ndef ("):
        served.write(server=broken)
        assert not served.load().ok
        assert isinstance(await served.gate(), Admission)


@pytest.mark.parametrize(
    "replacement",
    ["", "def (", "VALUE = 1\n", SERVER.split("app =")[0], None, 'from server_core import MCPApp\nMCPApp("more")\n'],
    ids=["empty", "the beginning of a line", "something else", "half", "no file", "another app"],
)
async def test_requests_are_refused_after_the_file_is_removed(served: Served, replacement: str | None) -> None:
    served.write(server=SERVER, tools=OPEN)
    served.load()
    if replacement is None:
        served.remove("server")
    else:
        served.write(server=replacement)
    assert "other" in served.load().catalog.tools
    assert isinstance(await served.gate(), Admission)
    served.write(server=SERVER)
    served.load()
    assert isinstance(await served.gate(), Admission)
    served.write(server='from server_core import MCPApp\napp = MCPApp("door", auth=None)\n')
    served.load()
    assert await served.gate() is None, "the app itself may ask for no tokens any more"


@pytest.mark.parametrize("auth", ["None", "None if True else 1"])
async def test_an_app_may_disable_tokens(served: Served, auth: str) -> None:
    served.write(
        server=OPEN.replace("other", "more"), tools=f"from server_core import MCPApp\nMCPApp('a', auth={auth})\n"
    )
    served.load()
    assert await served.gate() is None


async def test_a_folder_that_configures_no_tokens_is_open_even_if_a_file_is_broken(served: Served) -> None:
    served.write(server="from server_core import tool\ndef (", tools=OPEN)
    served.load()
    assert await served.gate() is None


async def test_missing_arguments_come_from_the_settings_of_the_files_project(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").touch()
    servers = (
        '[{"authorization_server_url": "https://a.example.com", "issuer": "a", "jwks_uri": "https://a.example.com/k"}]'
    )
    (tmp_path / ".env").write_text(
        f"MCP_RESOURCE_SERVER_CANONICAL_URL=https://env.example.com/mcp\nMCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS='{servers}'\n"
    )
    served.write(
        server="from server_core import MCPApp\nfrom server_core.resource_server import ResourceServerAuth\n"
        "app = MCPApp('door', auth=ResourceServerAuth())\n",
        tools=OPEN,
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    generation = served.load()
    assert not generation.problems, generation.problems
    gate = await served.gate()
    assert isinstance(gate, Admission)
    assert gate.host == "env.example.com"


async def test_a_missing_setting_is_named(served: Served) -> None:
    served.write(
        server="from server_core import MCPApp\nfrom server_core.resource_server import ResourceServerAuth\n"
        "app = MCPApp('door', auth=ResourceServerAuth())\n",
        tools=OPEN,
    )
    (problem,) = served.load().problems
    assert "MCP_RESOURCE_SERVER_CANONICAL_URL" in problem.message
