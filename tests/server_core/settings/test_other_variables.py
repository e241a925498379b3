"""Variables that look like settings, but are not."""

import re
from pathlib import Path

import pytest

from server_core.settings import other_variables
from server_core.settings.other_variables import OTHERS, UNSUPPORTED, UnknownVariable, known_names, unknown_variables

pytestmark = pytest.mark.promises("environment variables", "usage tracking")
# Arcade's variables, besides those of its settings.
ARCADES = (
    *(f"ARCADE_{name}" for name in ("WORKER_SECRET", "DISABLED_TOOLS", "DISABLED_TOOLKITS", "TOOL_NAME_SEPARATOR")),
    *(f"ARCADE_{name}" for name in ("API_KEY", "API_URL", "API_BASE_URL", "URL", "AUTH_DISABLED", "WORK_DIR")),
    *(f"ARCADE_{name}" for name in ("ENVIRONMENT", "USER_ID", "USAGE_TRACKING", "DISABLE_AUTOUPDATE")),
    *(f"ARCADE_SERVER_{name}" for name in ("TRANSPORT", "HOST", "PORT", "RELOAD", "SECRET")),
    *(f"ARCADE_MCP_{name}" for name in ("DEBUG", "OTEL_ENABLE", "TOOL_PACKAGE", "DISCOVER_INSTALLED")),
    *(f"ARCADE_MCP_SERVER_{name}" for name in ("NAME", "VERSION", "TITLE", "INSTRUCTIONS")),
    *(f"ARCADE_DEBUG_EXPOSE_{name}_IN_TOOL_ERROR_RESPONSES" for name in ("DEVELOPER_MESSAGE", "STACKTRACE")),
    "ARCADE_MCP_SHOW_PACKAGES",
    "ARCADE_MCP_CHILD_PROCESS",
    "ARCADE_UVICORN_TIMEOUT_GRACEFUL_SHUTDOWN",
    "MCP_DEBUG",
)
SOURCES = [
    path for folder in ("server_core", "workbench") for path in (Path(__file__).parents[3] / folder).rglob("*.py")
]


def test_a_misspelt_name_is_reported_with_a_suggestion() -> None:
    assert list(unknown_variables(["MCP_SERVR_NAME", "PATH", "MCP_SERVER_NAME", "WORKBENCH_SECRETS_KEY"])) == [
        UnknownVariable("MCP_SERVR_NAME", suggestion="MCP_SERVER_NAME")
    ]


def test_an_unknown_name_is_reported_without_a_suggestion() -> None:
    assert list(unknown_variables(["MCP_X"])) == [UnknownVariable("MCP_X")]


def test_each_variable_of_arcade_has_an_effect_or_a_reason() -> None:
    known = known_names()
    unknown = {name: [variable.why for variable in unknown_variables([name])] for name in ARCADES}
    assert [name for name, reasons in unknown.items() if not (all(reasons) if reasons else name in known)] == []


def test_each_variable_without_effect_is_reported_with_the_reason() -> None:
    assert set(known_names()).isdisjoint(UNSUPPORTED)
    assert {name: [variable.why for variable in unknown_variables([name])] for name in UNSUPPORTED} == {
        name: [reason] for name, reason in UNSUPPORTED.items()
    }


def test_each_documented_variable_is_read_somewhere() -> None:
    sources = [path.read_text("utf-8") for path in SOURCES if path.name != Path(other_variables.__file__).name]
    endings = {name: name.rpartition("_OAUTH_")[2] if "_OAUTH_" in name else name for name in OTHERS}
    patterns = {name: re.compile(rf"[\"}}]{re.escape(ending)}\"") for name, ending in endings.items()}
    assert [name for name, pattern in patterns.items() if not any(map(pattern.search, sources))] == []
