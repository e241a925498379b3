"""Suggestions for unknown names."""

from server_core.runtime.suggestions import closest_name
from tests.tables import each_row


@each_row(
    ("name", "meant"),
    [("ech", "echo"), ("ECHO", "echo"), ("ECOH", "echo"), ("shout", "SHOUT"), ("zzz", None), ("", None)],
)
def test_the_closest_name_is_suggested_in_any_case(name: str, meant: str | None) -> None:
    assert closest_name(name, ["echo", "SHOUT"]) == meant
