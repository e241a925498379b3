"""Variables that look like settings and are none."""

import re
from pathlib import Path

import pytest

from server_core.settings.others import OTHERS, UNSUPPORTED, Stray, known_names, strays

ROWS = ("S36", "S35")
SOURCES = [
    path for folder in ("server_core", "workbench") for path in (Path(__file__).parents[3] / folder).rglob("*.py")
]


def test_a_misspelt_name_is_told_with_the_one_that_was_meant() -> None:
    assert list(strays(["MCP_SERVR_NAME", "PATH", "MCP_SERVER_NAME", "WORKBENCH_SECRETS_KEY"])) == [
        Stray("MCP_SERVR_NAME", meant="MCP_SERVER_NAME")
    ]


def test_a_name_that_is_like_no_other_is_told_all_the_same() -> None:
    assert list(strays(["MCP_X"])) == [Stray("MCP_X")]


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_a_variable_that_has_no_effect_is_told_with_the_reason(name: str) -> None:
    assert name not in known_names()
    (stray,) = strays([name])
    assert stray.why == UNSUPPORTED[name]


@pytest.mark.parametrize("name", OTHERS)
def test_a_variable_that_is_said_to_have_an_effect_is_read_somewhere(name: str) -> None:
    last = re.escape(name.rpartition("_OAUTH_")[2] if "_OAUTH_" in name else name)
    elsewhere = [path for path in SOURCES if path.name != "others.py"]
    assert any(re.search(rf"[\"}}]{last}\"", path.read_text(encoding="utf-8")) for path in elsewhere), name
