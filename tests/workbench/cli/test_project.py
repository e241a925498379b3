"""The commands on a project: its tools are served in the process of the command."""

import json
import os
import stat
from pathlib import Path

import pytest

from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Kind, Tap
from tests.commands import DEMO
from tests.workbench.cli.conftest import Run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "tools.py").write_text(
        "import os\n"
        "from server_core import Context, tool\n\n\n"
        "@tool\n"
        "def noisy(word: str) -> str:\n"
        '    """Say it everywhere."""\n'
        '    print("printed", word)\n'
        '    os.system("echo from a child")\n'
        "    return word\n\n\n"
        '@tool(requires_secrets=["API_KEY"])\n'
        "def reveal(context: Context) -> str:\n"
        '    """Return the secret."""\n'
        '    return context.get_secret("API_KEY")\n'
    )
    (folder / "pyproject.toml").write_text('[project]\nname = "project"\nversion = "1"\n')
    return folder


def test_call_prints_the_result_of_a_tool(run: Run) -> None:
    code, out, err = run("call", "greet", "name=Ada", "--project", str(DEMO), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["content"] == [{"type": "text", "text": "Hello, Ada!"}]


def test_the_project_is_this_folder_by_default(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    code, out, _ = run("list")
    assert code == 0
    assert "noisy" in out


def test_output_of_a_tool_goes_to_stderr(run: Run, project: Path) -> None:
    code, out, err = run("call", "noisy", "word=hello", "--project", str(project))
    assert (code, out) == (0, "hello\n")
    assert "printed hello" in err
    assert "from a child" in err


def test_secrets_are_set_listed_and_unset_and_never_shown(run: Run, project: Path) -> None:
    code, out, err = run("secret", "list", "--project", str(project))
    assert (code, out.split()) == (0, ["KEY", "STATE", "TOOLS", "API_KEY", "missing", "reveal"])

    code, out, err = run("secret", "set", "API_KEY", "--project", str(project), stdin=b"s3cret-value\n")
    assert (code, out) == (0, "")
    assert "s3cret-value" not in err
    assert stat.S_IMODE((project / ".env").stat().st_mode) == 0o600

    _, out, _ = run("secret", "list", "--project", str(project), "--json")
    (secret,) = json.loads(out)
    assert (secret["key"], secret["is_set"], secret["tools"]) == ("API_KEY", True, ["reveal"])
    assert "s3cret-value" not in out

    code, out, _ = run("call", "reveal", "--project", str(project))
    assert (code, out) == (0, "<secret API_KEY>\n")

    assert run("secret", "unset", "API_KEY", "--project", str(project))[0] == 0
    code, _, err = run("call", "reveal", "--project", str(project))
    assert code == 1
    assert "API_KEY" in err


def test_an_empty_secret_is_refused(run: Run, project: Path) -> None:
    code, _, err = run("secret", "set", "API_KEY", "--project", str(project))
    assert code == 2
    assert "workbench secret unset API_KEY" in err


def test_a_folder_without_tools_is_explained(run: Run, tmp_path: Path) -> None:
    for command in (["list"], ["call", "greet"]):
        code, out, err = run(*command, "--project", str(tmp_path))
        assert (code, out) == (2, "")
        assert "No tools found. Create Python files with @tool decorated functions." in err
        assert "@tool" in err


def test_a_file_that_cannot_be_loaded_is_reported_and_the_rest_is_served(run: Run, project: Path) -> None:
    (project / "broken.py").write_text("from server_core import tool\n\n\n@tool\ndef f(:\n")
    code, out, err = run("list", "--project", str(project))
    assert code == 0
    assert "noisy" in out
    assert "broken.py:5" in err
    assert "Traceback" not in err


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_reported(run: Run, project: Path) -> None:
    project.chmod(0)
    try:
        code, _, err = run("list", "--project", str(project))
    finally:
        project.chmod(0o700)
    assert code == 2
    assert str(project) in err


def test_every_run_is_captured_and_replays_without_a_difference(run: Run) -> None:
    assert run("captures")[1] == ""
    answer = ("--answer", '{"dessert": "fruit"}')
    run("call", "choose_dessert", *answer, "--project", str(DEMO))
    _, out, _ = run("captures", "--json")
    (capture,) = json.loads(out)
    assert capture["records"] > 5
    _, out, err = run("captures")
    assert Path(capture["path"]).name in out
    assert "1 capture, " in err
    assert "the oldest are deleted above 1,000 captures or 2.0 GB" in err

    code, out, _ = run("replay", Path(capture["path"]).name)
    assert (code, out) == (0, f"4 requests against {DEMO}: 4 same, 0 differs, 0 skipped\n")


def test_the_captures_of_a_day_s_calls_are_one_row(run: Run) -> None:
    for name in ("Ada", "Bob", "Cleo"):
        run("call", "greet", f"name={name}", "--project", str(DEMO))
    run("list", "--project", str(DEMO))
    newest = json.loads(run("captures", "--json")[1])[0]["path"]
    assert run("captures", "rename", newest, "the last")[0] == 0
    _, out, err = run("captures")
    _, named, others = out.splitlines()
    assert "the last" in named
    assert "2 runs of `workbench call` (--all)" in others
    assert err.startswith("3 captures, ")
    assert len(run("captures", "list", "--all")[1].splitlines()) == 4


def test_captures_are_deleted_by_name_and_down_to_the_limits(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        run("call", "greet", "name=Ada", "--project", str(DEMO))
    paths = [Path(item["path"]) for item in json.loads(run("captures", "--json")[1])]
    assert len(paths) == 3
    code, out, err = run("captures", "delete", paths[0].name)
    assert (code, out) == (0, "")
    assert f"Deleted {paths[0]}." in err
    assert not paths[0].exists()
    monkeypatch.setenv("WORKBENCH_MAX_CAPTURES", "1")
    for path in paths[1:]:
        os.utime(path, (0, 0))
    code, _, err = run("captures", "prune")
    assert code == 0
    assert err.startswith("Deleted 1 capture, ")
    assert sum(path.exists() for path in paths) == 1
    code, _, err = run("captures", "delete", "nothing.capture")
    assert code == 2
    assert "There is no capture nothing.capture: `workbench captures` lists them." in err


def test_a_capture_is_named_pinned_and_noted_and_used_by_its_name(run: Run) -> None:
    run("call", "greet", "name=Ada", "--project", str(DEMO))
    (path,) = [Path(item["path"]) for item in json.loads(run("captures", "--json")[1])]
    assert run("captures", "rename", path.stem, "the greeting")[::2] == (0, f"{path.name} is named the greeting.\n")
    assert run("captures", "pin", "the greeting")[0] == 0
    assert run("captures", "note", "the greeting")[0] == 1
    assert run("captures", "note", "the greeting", "Ada is greeted.")[0] == 0
    _, out, _ = run("captures", "note", "the greeting")
    assert out == "Ada is greeted.\n"
    _, out, _ = run("captures")
    header, row = out.splitlines()
    assert header.split() == ["STARTED", "NAME", "SERVER", "CLIENT", "CALLS", "ERRORS", "SIZE", "FILE"]
    assert "the greeting (pinned)" in row
    _, out, _ = run("captures", "show", "the greeting")
    assert "calls    1" in out
    assert "note     Ada is greeted." in out
    assert run("replay", "the greeting")[0] == 0
    code, _, err = run("captures", "delete", "the greeting")
    assert code == 2
    assert "is pinned: unpin it first" in err
    assert run("captures", "unpin", "the greeting")[0] == 0
    assert run("captures", "delete", "the greeting")[0] == 0
    assert not path.exists()


def test_the_limits_of_captures_are_set_in_the_configuration(run: Run) -> None:
    run("call", "greet", "name=Ada", "--project", str(DEMO))
    assert run("config", "set", "captures.max_age_days", "30")[0] == 0
    assert run("config", "set", "captures.max_size_mb", "500")[0] == 0
    assert run("config", "get", "captures.max_age_days")[1] == "30\n"
    assert "above 1,000 captures or 500.0 MB, and after 30 days" in run("captures")[2]
    for name, value in (("max_age_days", "old"), ("max_count", "1.5"), ("max_size_mb", "1e12"), ("max_days", "3")):
        code, _, err = run("config", "set", f"captures.{name}", value)
        assert (code, f"captures.{name}" in err) == (2, True)


def test_a_text_is_searched_in_all_captures(run: Run) -> None:
    for name in ("Ada", "Bob"):
        run("call", "greet", f"name={name}", "--project", str(DEMO))
    code, out, err = run("captures", "search", "hello, ADA")
    assert code == 0
    assert "Hello, Ada" in out
    assert "Bob" not in out
    assert err.endswith("in 2 captures.\n")
    _, out, _ = run("captures", "search", "Bob", "--json", "--limit", "1")
    assert [match["match"] for match in json.loads(out)] == ["Bob"]
    assert run("captures", "search", "nowhere")[0] == 1
    assert run("captures", "search", "Ada", "--of", "other")[0] == 1
    assert run("captures", "search", "")[0] == 2


@pytest.mark.parametrize(("era", "other", "same"), [("legacy", "modern", 3), ("modern", "legacy", 1)])
def test_a_project_is_spoken_to_in_either_era_and_its_captures_replay_in_both(
    run: Run, era: str, other: str, same: int
) -> None:
    answer = ("--answer", '{"dessert": "fruit"}')
    code, out, _ = run("call", "choose_dessert", *answer, "--era", era, "--project", str(DEMO))
    assert (code, out) == (0, "One fruit with 1 spoon(s).\n")
    ((path,),) = [[item["path"] for item in json.loads(run("captures", "--json")[1])]]
    assert run("replay", path)[0] == 0
    counts = json.loads(run("replay", path, "--json", "--era", other)[1])["counts"]
    assert counts == {"same": same, "differs": 0, "skipped": 4 - same}


def test_logs_and_progress_are_narrated_in_either_era(run: Run) -> None:
    stderr_lines = []
    for era in ("legacy", "modern"):
        arguments = ("cups=2", "seconds_per_cup=0")
        code, out, err = run("call", "brew", *arguments, "--era", era, "--project", str(DEMO))
        assert (code, out) == (0, "2 cups are ready.\n")
        stderr_lines.append(err)
    assert stderr_lines[0] == stderr_lines[1]
    assert "progress 1/2" in stderr_lines[0]


def test_a_replay_of_nothing_is_no_success(run: Run) -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0)
    store.start()
    tap.emit(Kind.STDERR, b"noise")
    store.close()
    code, out, err = run("replay", str(store.path), "--project", str(DEMO))
    assert (code, out) == (2, "")
    assert "There is nothing to replay" in err


def test_a_replay_shows_which_answers_differ(run: Run, project: Path) -> None:
    run("call", "noisy", "word=hello", "--project", str(project))
    ((path,),) = [[item["path"] for item in json.loads(run("captures", "--json")[1])]]
    source = project / "tools.py"
    source.write_text(source.read_text().replace("return word", "return word.upper()"))

    code, out, _ = run("replay", path)
    assert code == 1
    assert '    - "hello"\n    + "HELLO"\n' in out

    code, out, _ = run("replay", path, "--json")
    assert code == 1
    assert json.loads(out)["counts"] == {"same": 2, "differs": 1, "skipped": 0}


def test_a_capture_of_a_missing_project_is_reported(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("call", "noisy", "word=hello", "--project", str(project))
    ((path,),) = [[item["path"] for item in json.loads(run("captures", "--json")[1])]]
    project.rename(tmp_path / "moved")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    code, _, err = run("replay", path, "--project", str(tmp_path / "moved"))
    assert (code, err.count("not a project on this machine")) == (0, 0)
    code, _, err = run("replay", path)
    assert code == 1
    assert str(project) in err
    assert "not a project on this machine; name a server" in err


def test_new_makes_a_project_whose_tools_can_be_called(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("new", "my_tools")
    assert (code, out) == (0, "my_tools\n")
    assert "workbench my_tools" in err
    assert run("call", "add", "a=2", "b=3", "--project", "my_tools")[1] == "5\n"


def test_ps_reports_when_nothing_runs(run: Run) -> None:
    code, out, err = run("ps")
    assert (code, out) == (0, "")
    assert "No core is running" in err
    assert run("ps", "--json")[1] == "[]\n"


def test_the_version_and_the_help_are_printed(run: Run) -> None:
    assert run("--version")[1].startswith("workbench ")
    code, out, _ = run("--help")
    assert code == 0
    assert "workbench [PATH]" in out


def test_two_captures_are_compared_call_by_call(run: Run, project: Path) -> None:
    source = project / "tools.py"
    text = source.read_text()
    for version in (text, text.replace("return word", "return word.upper()")):
        source.write_text(version)
        run("call", "noisy", "word=hello", "--project", str(project))
    second, first = (item["path"] for item in json.loads(run("captures", "--json")[1]))
    assert run("captures", "rename", first, "before")[0] == 0
    code, out, err = run("captures", "compare", "before", second)
    assert code == 1, err
    assert 'noisy word="hello" differs (' in out
    assert '~ $.result.content[0].text  "hello" → "HELLO"' in out
    assert out.endswith("1 call: 0 same, 1 differs, 0 only in the first, 0 only in the second\n")
    code, out, _ = run("captures", "compare", first, second, "--json", "--all")
    assert (code, json.loads(out)["counts"]["differs"]) == (1, 1)
    assert len(json.loads(out)["calls"]) > 1
    assert run("captures", "compare", first, first)[0] == 0
    code, _, err = run("captures", "compare", first, "nothing")
    assert (code, "There is no capture nothing" in err) == (2, True)
