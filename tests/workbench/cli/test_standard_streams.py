"""Commands that are started without standard streams or with few descriptors."""

import subprocess
import sys

import pytest

from tests.commands import DEMO, START, WORKBENCH

CALL = ["call", "greet", "name=Ada", "--project", str(DEMO)]


def run(redirection: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    line = ["sh", "-c", f'exec "$@" {redirection}', "sh", *WORKBENCH, *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=START)


@pytest.mark.parametrize("arguments", [CALL, ["ps"], ["--version"]], ids=lambda item: item[0])
def test_a_closed_standard_output_is_reported_in_a_sentence(arguments: list[str]) -> None:
    ended = run(">&-", *arguments)
    assert ended.returncode == 2
    assert ended.stderr == "error: standard output is closed; leave it open, or discard it with >/dev/null\n"


def test_nothing_is_reported_when_all_streams_are_closed() -> None:
    ended = run("<&- >&- 2>&-", *CALL)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", "")


@pytest.mark.parametrize("redirection", ["<&-", "2>&-", "<&- 2>&-"])
def test_a_call_works_without_the_other_streams(redirection: str) -> None:
    ended = run(redirection, *CALL)
    assert (ended.returncode, ended.stdout) == (0, "Hello, Ada!\n")


def test_a_closed_standard_input_counts_as_empty() -> None:
    ended = run("<&-", *CALL, "--args", "-")
    assert ended.returncode == 2
    assert "--args from stdin is not JSON" in ended.stderr


@pytest.mark.parametrize("limit", [14, 31])
@pytest.mark.parametrize(
    ("command", "speaker"),
    [
        ([*WORKBENCH, *CALL], "error"),
        ([*WORKBENCH, "serve", "--stdio", str(DEMO)], "error"),
        ([sys.executable, "-m", "server_core", str(DEMO), "--stdio"], "workbench"),
    ],
    ids=["call", "serve", "server_core"],
)
def test_too_few_descriptors_are_reported_in_a_sentence(command: list[str], speaker: str, limit: int) -> None:
    ended = _limited(f"ulimit -n {limit}", command)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"{speaker}: this process may open {limit} files, but needs at least 32; raise the limit: ulimit -n 1024\n"
    )


@pytest.mark.parametrize("limiting", ["ulimit -n 32", "ulimit -S -n 10"], ids=["few", "a soft limit alone"])
def test_a_call_works_with_few_descriptors(limiting: str) -> None:
    ended = _limited(limiting, [*WORKBENCH, *CALL])
    assert (ended.returncode, ended.stdout) == (0, "Hello, Ada!\n")


def _limited(limiting: str, command: list[str]) -> "subprocess.CompletedProcess[str]":
    line = ["sh", "-c", f'{limiting}; exec "$@"', "sh", *command]
    return subprocess.run(
        line, capture_output=True, text=True, check=False, timeout=START, stdin=subprocess.DEVNULL, close_fds=True
    )
