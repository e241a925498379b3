"""`workbench serve`: how it serves, by its options, else by the settings."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workbench.cli.conftest import Run

pytestmark = pytest.mark.promises("discovery", "environment variables")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder of one's own, and take back what options set for the run that a test is."""
    monkeypatch.chdir(tmp_path)
    before = dict(os.environ)
    yield tmp_path
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines of the cores that were asked for."""
    lines: list[list[str]] = []

    def main(words: list[str]) -> int:
        lines.append(words)
        return 0

    monkeypatch.setattr("server_core.__main__.main", main)
    return lines


HTTP = ["--http", "--host", "127.0.0.1", "--port", "8000"]


@pytest.mark.parametrize(
    ("environment", "options", "words"),
    [
        ({}, ["--stdio"], ["--stdio"]),
        ({}, ["--http"], HTTP),
        ({"ARCADE_SERVER_TRANSPORT": "stdio"}, [], ["--stdio"]),
        ({"ARCADE_SERVER_TRANSPORT": "streamable-http"}, [], HTTP),
        ({"ARCADE_SERVER_TRANSPORT": "http"}, ["--stdio", "--debug"], ["--stdio"]),
        (
            {"ARCADE_SERVER_HOST": "::1", "ARCADE_SERVER_PORT": "0"},
            ["--http"],
            ["--http", "--host", "::1", "--port", "0"],
        ),
        (
            {"ARCADE_SERVER_HOST": "::1", "ARCADE_SERVER_PORT": "1"},
            ["--http", "--host", "127.0.0.1", "--port", "8000"],
            HTTP,
        ),
    ],
)
def test_the_options_override_the_settings(
    run: Run,
    folder: Path,
    served: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    options: list[str],
    words: list[str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert run("serve", str(folder), *options)[0] == 0
    assert [line[-len(words) :] for line in served] == [words]


def test_the_settings_in_the_projects_env_file_count_too(run: Run, folder: Path, served: list[list[str]]) -> None:
    (folder / ".env").write_text("ARCADE_SERVER_TRANSPORT=stdio\n")
    assert run("serve")[0] == 0
    assert served == [[str(folder), "--stdio"]]


def test_without_a_transport_the_command_is_refused(run: Run, served: list[list[str]]) -> None:
    for options in ([], ["--stdio", "--http"]):
        code, _, err = run("serve", *options)
        assert (code, served) == (2, [])
        assert "choose how to serve: --stdio or --http" in err


def test_options_are_settings_for_this_run(run: Run, folder: Path, served: list[list[str]]) -> None:
    (folder / "own.env").write_text("")
    (folder / "sub").mkdir()
    words = ["--stdio", "--name", "kit", "--version", "2.0", "--show-packages", "--debug", "-p", "math", "--cwd", "sub"]
    assert run("serve", *words, "--env-file", "../own.env", "--reload")[0] == 0
    variables = {name: value for name, value in os.environ.items() if name.startswith("WORKBENCH_")}
    assert {
        "WORKBENCH_SERVER_NAME": "kit",
        "WORKBENCH_TOOLKIT": "kit",
        "WORKBENCH_SERVER_VERSION": "2.0",
        "WORKBENCH_SHOW_PACKAGES": "true",
        "WORKBENCH_DEBUG": "true",
        "WORKBENCH_TOOL_PACKAGE": "math",
    }.items() <= variables.items()
    assert Path(variables["WORKBENCH_ENV_FILE"]).resolve() == folder / "own.env"
    assert served == [[str(folder / "sub"), "--stdio", "--reload"]]


def test_a_missing_working_directory_is_reported(run: Run, served: list[list[str]]) -> None:
    code, _, err = run("serve", "--stdio", "--cwd", "nowhere")
    assert (code, served) == (2, [])
    assert "nowhere" in err


def test_an_invalid_option_is_reported_by_name(run: Run, served: list[list[str]]) -> None:
    code, _, err = run("serve", "--stdio", "--version", "banana")
    assert (code, served) == (2, [])
    assert err == (
        "error: --version is 'banana' in the command line, but must be a semantic version like 1.2.3 or 1.2.3-beta.1; "
        "correct or remove it there.\n"
    )
