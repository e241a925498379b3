"""The plugin of pytest: what its fixtures serve, how tests that use them fail, and what it costs those that do not."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from textwrap import dedent

import pytest

from workbench.testing import plugin

pytest_plugins = ("pytester",)

SERVER = """
from server_core import Context, tool

@tool
def greet(name: str) -> str:
    '''Greet a guest.'''
    return f"Hello, {name}!"

@tool(requires_secrets=["KITCHEN_KEY"])
def sign(context: Context) -> str:
    '''Sign an order.'''
    return f"signed with {len(context.get_secret('KITCHEN_KEY'))} letters"

@tool
async def ask(context: Context) -> str:
    '''Ask the guest.'''
    return (await context.ui.elicit("Really?", {"type": "object", "properties": {}})).action
"""


PASSING = {
    "test_plain.py": """
        def test_a_plain_test_calls_the_tools_of_its_project(mcp_client):
            assert mcp_client.call("greet", name="Ada").text == "Hello, Ada!"
        """,
    "test_async.py": """
        import asyncio
        import pytest

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @pytest.mark.anyio
        async def test_an_async_test_awaits_them(async_mcp_client):
            calls = (async_mcp_client.call("greet", name=name) for name in ("Ada", "Alan"))
            assert [result.text for result in await asyncio.gather(*calls)] == ["Hello, Ada!", "Hello, Alan!"]
        """,
    "test_app.py": """
        import pytest
        from server_core import MCPApp

        app = MCPApp("own", toolkit="")

        @app.tool
        def shout(text: str) -> str:
            '''Shout.'''
            return text.upper()

        @pytest.fixture
        def workbench_project():
            return app

        def test_the_project_can_be_an_app_that_a_fixture_returns(mcp_client):
            assert mcp_client.call(shout, text="ada").text == "ADA"
        """,
    "test_serving.py": """
        def test_a_test_can_serve_another_project(workbench, tmp_path):
            (tmp_path / "more.py").write_text(
                "from server_core import tool\\n@tool\\ndef two() -> str:\\n    '''Two.'''\\n    return '2'\\n"
            )
            own, other = workbench.serve(), workbench.serve(tmp_path, revision="2025-06-18")
            assert own.call("greet", name="Ada").text == "Hello, Ada!"
            assert (other.call("two").text, other.revision) == ("2", "2025-06-18")
        """,
    "test_secrets.py": """
        import pytest
        from workbench.testing import ToolFailed

        def test_no_secret_is_set(mcp_client):
            with pytest.raises(ToolFailed, match="KITCHEN_KEY"):
                mcp_client.call("sign")

        def test_secrets_come_from_the_fixture(mcp_client, workbench_secrets):
            workbench_secrets["KITCHEN_KEY"] = "12345"
            assert mcp_client.call("sign").text == "signed with 5 letters"
        """,
    "test_patching.py": """
        import kitchen

        def test_a_patch_of_a_test_applies_to_the_tools(mcp_client, monkeypatch):
            monkeypatch.setattr(kitchen, "str", lambda name: "patched", raising=False)
            monkeypatch.setattr(kitchen.greet, "__code__", (lambda name: "patched").__code__)
            assert mcp_client.call(kitchen.greet, name="Ada").text == "patched"
        """,
    "tests/__init__.py": "",
    "tests/helping.py": "seen = []",
    "tests/test_modules.py": """
        import sys
        from tests import helping

        def test_modules_of_the_tests_stay_what_they_are(mcp_client):
            mcp_client.call("greet", name="Ada")
            from tests.helping import seen
            assert seen is helping.seen
            assert vars(sys.modules[__name__]) is globals()
        """,
}
"""Files of tests that pass."""

FAILING = {
    "test_story.py": """
        def test_a_test_that_fails_shows_the_messages_in_both_directions(mcp_client):
            assert mcp_client.call("greet", name="Ada").text == "Goodbye"
        """,
    "test_asked.py": """
        def test_a_question_without_an_answer_fails_the_test(mcp_client):
            mcp_client.call("ask")
        """,
    "test_left.py": """
        def test_passes(mcp_client):
            mcp_client.answers.decline()

        def test_fails(mcp_client):
            mcp_client.answers.decline()
            assert False
        """,
}
"""Files of tests that fail, but for one, which fails at its end."""


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the plugins of this machine away, but for those that :func:`run` names."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with three tools."""
    pytester.makefile(".toml", pyproject="[project]\nname = 'cafe'\n\n[tool.pytest.ini_options]\ntestpaths = ['.']\n")
    pytester.makepyfile(kitchen=SERVER)
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run the project's tests in a process of their own, with every warning an error."""
    plugins = ("-p", "workbench.testing.plugin", "-p", "anyio", "-p", "no:cacheprovider")
    return project.runpytest_subprocess(*plugins, "-W", "error", *arguments)


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files of tests: path -> text."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(dedent(text))


# Each run starts an interpreter and imports everything: a single run checks as much as it can.
def test_every_requested_server_is_served(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITCHEN_KEY", "from-the-environment")
    write(project.path, PASSING)
    run(project).assert_outcomes(passed=8)


def test_failed_tests_show_the_reason(project: pytest.Pytester) -> None:
    write(project.path, FAILING)
    result = run(project)
    result.assert_outcomes(passed=1, failed=3, errors=1)
    expected = (
        ["*- Captured mcp call -*", '--> *"method":"tools/call"*', "<-- *Hello, Ada!*"],
        ["E *Unanswered: the server sent a request that the test has no answer for: elicitation 'Really?'*"],
        ["*ERROR at teardown of test_passes*", "E *AnswersLeft: these answers were not requested*"],
    )
    for lines in expected:
        result.stdout.fnmatch_lines(lines)
    result.stdout.no_fnmatch_line("*contextlib.py*")


def test_a_project_that_cannot_be_served_is_reported_without_a_traceback(project: pytest.Pytester) -> None:
    write(project.path, {"broken.py": "from server_core import tool\n@tool\ndef one(x): ...\n"} | FAILING)
    result = run(project, "test_story.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E *ProblemsFound: *broken.py:3: error: *"])
    result.stdout.no_fnmatch_line("*contextlib.py*")
    result.stdout.no_fnmatch_line("*serving.py*")


def test_the_nearest_project_is_tested(project: pytest.Pytester) -> None:
    inner = project.mkdir("inner")
    (inner / "pyproject.toml").write_text("[project]\nname = 'inner'\n")
    (inner / "other.py").write_text(SERVER.replace("Hello", "Ahoy"))
    (inner / "test_inner.py").write_text(
        "def test_it(mcp_client):\n    assert mcp_client.call('greet', name='Ada').text == 'Ahoy, Ada!'\n"
    )
    run(project).assert_outcomes(passed=1)


def test_the_project_can_be_named_in_the_configuration(project: pytest.Pytester) -> None:
    folder = project.mkdir("elsewhere")
    (folder / "other.py").write_text(SERVER.replace("Hello", "Ahoy"))
    project.makepyfile(
        """
        def test_it(mcp_client):
            assert mcp_client.call("greet", name="Ada").text == "Ahoy, Ada!"
        """
    )
    run(project, "-o", "workbench_project=elsewhere/other.py").assert_outcomes(passed=1)


def test_the_timeout_is_read_from_the_configuration(project: pytest.Pytester) -> None:
    project.makepyfile(
        tools_that_wait="""
        import asyncio
        from server_core import tool

        @tool
        async def wait() -> str:
            '''Wait for ever.'''
            await asyncio.Event().wait()
            return ""
        """,
        test_it="""
        def test_it(mcp_client):
            mcp_client.call("wait")
        """,
    )
    result = run(project, "-o", "workbench_timeout=0.05")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *TookTooLong: wait: no response within 0.05 seconds*"])


@pytest.mark.parametrize("value", ["soon", "0", "-1", "inf", "nan"])
def test_an_invalid_timeout_is_refused(pytester: pytest.Pytester, value: str) -> None:
    pytester.makepyfile("def test_it(workbench):\n    pass\n")
    # In this process: it ends before anything of ours is imported.
    result = pytester.runpytest_inprocess("-o", f"workbench_timeout={value}", plugins=[plugin])
    result.stdout.fnmatch_lines([f"*workbench_timeout is '{value}', but must be a number of seconds above zero.*"])


def test_installing_the_package_installs_the_plugin() -> None:
    (entry_point,) = [item for item in entry_points(group="pytest11") if item.value == "workbench.testing.plugin"]
    assert entry_point.load() is plugin


def test_a_run_without_the_fixtures_imports_nothing_of_ours() -> None:
    code = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        "import workbench.testing.plugin\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["workbench", "workbench.testing", "workbench.testing.plugin"]


def test_every_name_of_the_package_can_be_imported() -> None:
    import workbench.testing

    assert all(getattr(workbench.testing, name) for name in workbench.testing.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Clinet'"):
        _ = workbench.testing.Clinet


def test_no_fixture_is_automatic(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\n\ndef test_it():\n    assert 'server_core' not in sys.modules\n")
    run(pytester).assert_outcomes(passed=1)
