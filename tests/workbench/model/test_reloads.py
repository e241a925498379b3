"""Whether a reload came to nothing, or only some of its files did not load."""

from typing import Any

import pytest

from workbench.model.reloads import keeps_the_last, load_state

NOTHING: dict[str, Any] = {"ok": False, "generation": 3, "reloaded": [], "changes": {"tools": {"added": []}}}


@pytest.mark.parametrize(
    ("state", "is_kept"),
    [
        ({}, True),
        ({"changes": None}, True),
        ({"ok": True}, False),
        ({"generation": 1}, False),
        ({"reloaded": ["tools.fresh"]}, False),
        ({"changes": {"tools": {"added": ["fresh"]}}}, False),
    ],
)
def test_the_last_is_kept_where_nothing_new_is_served(state: dict[str, Any], is_kept: bool) -> None:
    assert keeps_the_last({**NOTHING, **state}) is is_kept


BROKEN = [{"severity": "error", "message": "syntax error"}]


@pytest.mark.parametrize(
    ("catalog", "state"),
    [
        ({"ok": True, "tools": [{}], "problems": []}, "ready"),
        ({"ok": True, "tools": [], "problems": []}, "ready"),
        ({"ok": True, "tools": [{}], "problems": BROKEN}, "ready"),
        ({"ok": False, "tools": [], "problems": BROKEN}, "failed"),
        ({"ok": True, "tools": [], "problems": BROKEN}, "failed"),
        ({"ok": True, "prompts": [{}], "problems": BROKEN}, "ready"),
        ({**NOTHING, "tools": [{}], "problems": BROKEN}, "stale"),
        ({**NOTHING, "tools": [{}], "problems": BROKEN, "reloaded": ["tools.fresh"]}, "partial"),
        ({**NOTHING, "tools": [{}], "problems": BROKEN, "generation": 1}, "partial"),
    ],
)
def test_the_state_of_a_load_shows_whether_everything_is_served(catalog: dict[str, Any], state: str) -> None:
    assert load_state(catalog) == state
