"""Variables that look like settings and are none."""

import re
from pathlib import Path

import pytest

from server_core.settings.other_variables import OTHERS, UNSUPPORTED, UnknownVariable, known_names, strays

pytestmark = pytest.mark.promises("environment variables", "usage tracking")
# The variables of Arcade's that stand beside those of its settings.
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
    assert list(strays(["MCP_SERVR_NAME", "PATH", "MCP_SERVER_NAME", "WORKBENCH_SECRETS_KEY"])) == [
        UnknownVariable("MCP_SERVR_NAME", meant="MCP_SERVER_NAME")
    ]


def test_an_unknown_name_is_reported_without_a_suggestion() -> None:
    assert list(strays(["MCP_X"])) == [UnknownVariable("MCP_X")]


@pytest.mark.parametrize("name", ARCADES)
def test_a_variable_of_arcades_has_an_effect_or_a_reason(name: str) -> None:
    found = list(strays([name]))
    assert name in known_names() if not found else found[0].why


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_a_variable_without_effect_is_reported_with_the_reason(name: str) -> None:
    assert name not in known_names()
    (stray,) = strays([name])
    assert stray.why == UNSUPPORTED[name]


@pytest.mark.parametrize("name", OTHERS)
def test_a_variable_that_is_documented_is_read_somewhere(name: str) -> None:
    last = re.escape(name.rpartition("_OAUTH_")[2] if "_OAUTH_" in name else name)
    elsewhere = [path for path in SOURCES if path.name != "others.py"]
    assert any(re.search(rf"[\"}}]{last}\"", path.read_text(encoding="utf-8")) for path in elsewhere), name
