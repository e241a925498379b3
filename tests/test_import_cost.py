"""What an import must not bring along: late imports stay late. Only a fresh interpreter shows it."""

import subprocess
import sys

import pytest

from tests.commands import DEMO, START, WORKBENCH

HEAVY = {
    "fastapi", "httpx", "importlib.metadata", "jsonschema_rs", "jwt", "logging.config", "mcp", "pydantic", "pygments",
    "rich", "sqlite3", "textual", "typer", "uvicorn", "watchfiles", "websockets",
}  # fmt: skip

BEFORE_THE_FIRST_ANSWER = (
    "server_core.__main__", "server_core.core", "server_core.serving.server", "server_core.serving.sessions",
    "server_core.records.tap",
    "server_core.transports.stdio", "server_core.settings", "server_core.secrets", "server_core.loading.file_discovery",
    "server_core.protocol.peer",
)  # fmt: skip
"""What `workbench serve --stdio` runs before it has answered `initialize`."""

FIRST_PAINT = ("workbench.tui.app",)
"""What a terminal imports before it shows its first screen."""


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules, sep='\\n')"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=START,
        stdin=subprocess.DEVNULL,
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import server_core", HEAVY | {"asyncio"}),
        ("from server_core import tool", HEAVY),
        ("import " + ", ".join(BEFORE_THE_FIRST_ANSWER), HEAVY),
        ("import " + ", ".join(FIRST_PAINT), (HEAVY - {"rich", "textual", "importlib.metadata"})),
        ("import workbench.__main__", HEAVY | {"asyncio"}),
        ("import workbench.cli.command_parser", HEAVY - {"rich", "typer", "importlib.metadata"}),
        (
            "import workbench.model.forms.form, workbench.model.traffic.timeline, workbench.model.traffic.filter",
            HEAVY - {"jsonschema_rs"},
        ),
    ],
    ids=["server_core", "tool", "first answer", "first paint", "main", "cli", "model"],
)
def test_an_import_imports_nothing_heavy(statement: str, unwanted: set[str]) -> None:
    assert sorted(loaded_by(statement) & unwanted) == []


@pytest.mark.parametrize("arguments", [["list", "--project", str(DEMO)], ["--help"], ["ps"]], ids=lambda item: item[0])
def test_a_command_that_shows_no_screen_never_loads_textual(arguments: list[str]) -> None:
    command = [WORKBENCH[0], "-X", "importtime", *WORKBENCH[1:], *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=START, stdin=subprocess.DEVNULL)
    assert run.returncode == 0, run.stderr[-2000:]
    imported = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines() if line.startswith("import time:")}
    assert "workbench" in imported
    assert "textual" not in imported
