"""Whether a reload came to nothing, or only some of its files did not load."""

from typing import Any

import pytest

from workbench.model.reloads import keeps_the_last

NOTHING: dict[str, Any] = {"ok": False, "generation": 3, "reloaded": [], "changes": {"tools": {"added": []}}}


@pytest.mark.parametrize(
    ("told", "is_kept"),
    [
        ({}, True),
        ({"changes": None}, True),
        ({"ok": True}, False),
        ({"generation": 1}, False),
        ({"reloaded": ["tools.fresh"]}, False),
        ({"changes": {"tools": {"added": ["fresh"]}}}, False),
    ],
)
def test_the_last_is_kept_where_nothing_new_is_served(told: dict[str, Any], is_kept: bool) -> None:
    assert keeps_the_last({**NOTHING, **told}) is is_kept
