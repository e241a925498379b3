"""What `workbench call` prints besides the result."""

from pathlib import Path

import pytest

from tests import commands
from tests.commands import DEMO
from tests.workbench.cli.conftest import Run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Three tools without a docstring, which is a warning each, and a file that cannot be imported."""
    folder = tmp_path / "project"
    folder.mkdir()
    tools = [f"@tool\ndef say_{word}() -> str:\n    return '{word}'\n" for word in ("a", "b", "c")]
    (folder / "tools.py").write_text("\n\n".join(["from server_core import tool", *tools]))
    return folder


def test_warnings_about_other_tools_are_only_counted(run: Run, project: Path) -> None:
    code, out, err = run("call", "say_b", "--project", str(project))
    assert (code, out) == (0, "b\n")
    own, others = err.splitlines()
    assert "warning: Tool 'say_b'" in own
    assert others == "2 warnings about other parts of this project; see `workbench list`"
    assert run("list", "--project", str(project))[2].count("warning: Tool") == 3


def test_the_content_of_a_result_is_written_to_a_file(run: Run, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "result.txt"
    code, out, err = run("call", "say_b", "--project", str(project), "--save", str(file))
    assert (code, out, file.read_text()) == (0, "", "b")
    assert f"saved 1 B to {file}" in err


def test_a_file_that_cannot_be_written_is_reported(run: Run, project: Path, tmp_path: Path) -> None:
    code, _, err = run("call", "say_b", "--project", str(project), "--save", str(tmp_path / "no" / "file"))
    assert code == 2
    assert "--save cannot write" in err


def test_errors_are_reported_for_every_command(run: Run, project: Path) -> None:
    (project / "broken.py").write_text("from server_core import tool\n\n\n@tool\ndef f(:\n")
    _, out, err = run("call", "say_b", "--project", str(project))
    assert out == "b\n"
    assert "broken.py:5: error:" in err


def test_a_call_of_an_unknown_tool_reports_no_warning_in_full(run: Run, project: Path) -> None:
    code, _, err = run("call", "say_z", "--project", str(project))
    assert code == 2
    assert "warning: Tool" not in err
    assert "3 warnings" in err


def test_the_help_states_that_a_call_has_a_core_of_its_own(run: Run) -> None:
    text = " ".join(run("call", "--help")[1].split())
    assert "A call on a project starts a core of its own, unless --core ID names one that runs." in text


def test_key_value_overrides_args_as_documented_in_the_help(run: Run) -> None:
    code, out, _ = run("call", "greet", "--args", '{"name": "Ada"}', "name=Bob", "--project", str(DEMO))
    assert (code, out) == (0, "Hello, Bob!\n")
    assert "KEY=VALUE overrides it." in " ".join(run("call", "--help")[1].split())


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """Two apps in one folder, whose tools are named after them."""
    folder = tmp_path / "apps"
    folder.mkdir()
    for name, tools in (("echo_server", ("say_hello", "add")), ("other", ("add",))):
        functions = [f"@app.tool\ndef {tool}() -> str:\n    'D.'\n    return '{name} {tool}'\n" for tool in tools]
        lines = ["from server_core import MCPApp", f"app = MCPApp('{name}')", *functions]
        (folder / f"{name}.py").write_text("\n\n".join(lines))
    return folder


@pytest.mark.parametrize(
    "name", ["EchoServer_SayHello", "EchoServer.SayHello", "EchoServer.SayHello@0.1.0", "say_hello"]
)
def test_a_tool_is_called_by_any_of_its_names(run: Run, app: Path, name: str) -> None:
    assert run("call", name, "--project", str(app))[:2] == (0, "echo_server say_hello\n")


def test_the_name_of_a_function_that_two_toolkits_have_is_not_enough(run: Run, app: Path) -> None:
    code, out, err = run("call", "add", "--project", str(app))
    assert (code, out) == (2, "")
    assert "EchoServer_Add or Other_Add; write the full name" in err


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    """A tool that wants to know of its caller."""
    (tmp_path / "tools.py").write_text(
        "from server_core import Context, tool\n\n"
        '@tool(requires_metadata=["team"])\n'
        "def whose(context: Context) -> str:\n    'Return the team.'\n    return context.get_metadata('team')\n"
    )
    return tmp_path


def test_a_call_sends_the_given_meta(run: Run, asking: Path) -> None:
    assert run("call", "whose", "--meta", "team=beans", "--project", str(asking))[:2] == (0, "beans\n")
    code, out, err = run("call", "whose", "--project", str(asking))
    assert code == 1
    assert "Missing metadata: team" in out + err


def test_an_invalid_meta_is_refused(run: Run, asking: Path) -> None:
    code, _, err = run("call", "whose", "--meta", "beans", "--project", str(asking))
    assert code == 2
    assert "--meta 'beans' has no value: write KEY=VALUE." in err


def test_an_argument_written_as_an_option_is_explained(run: Run, app: Path) -> None:
    code, _, err = run("call", "say_hello", "--price", "20", "--project", str(app))
    assert code == 2
    assert "No such option: --price" in err
    assert "an argument of the tool is written price=VALUE. See: workbench call --help" in err
    assert "is written" not in run("list", "--price")[2]


async def test_secrets_are_masked_in_the_standard_error_of_a_tools_programs(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("API_KEY=hunter2-hunter2\n")
    (tmp_path / "tools.py").write_text(
        "import os, subprocess\nfrom server_core import tool\n\n\n@tool(requires_secrets=['API_KEY'])\n"
        "def complain() -> str:\n    'Complain.'\n    subprocess.run(['sh', '-c', 'echo child hunter2-hunter2 >&2'])\n"
        "    os.write(2, b'descriptor hunter2-hunter2')\n    return 'done'\n"
    )
    code, out, err = await commands.run("call", "complain", cwd=tmp_path)
    assert (code, out) == (0, "done\n")
    assert err == "child <secret API_KEY>\ndescriptor <secret API_KEY>\n"
