"""Suggestions for unknown names."""

import pytest

from server_core.runtime.suggestions import closest_name


@pytest.mark.parametrize(
    ("name", "meant"),
    [("ech", "echo"), ("ECHO", "echo"), ("ECOH", "echo"), ("shout", "SHOUT"), ("zzz", None), ("", None)],
)
def test_the_closest_name_is_suggested_in_any_case(name: str, meant: str | None) -> None:
    assert closest_name(name, ["echo", "SHOUT"]) == meant
