"""The notice of a reload."""

from tests.workbench.tui.fakes import CATALOG
from workbench.tui.reload_notice import reload_notice


def test_a_reload_reports_its_duration_and_changes() -> None:
    assert reload_notice(CATALOG) == ("Reloaded in 42 ms  + order_beans  ~ greet  - old", "information")


def test_a_failed_reload_points_to_the_problems() -> None:
    notice = reload_notice({**CATALOG, "ok": False, "reloaded": [], "changes": {}})
    assert notice is not None
    assert "5 Problems" in notice[0]
    assert notice[1] == "error"


def test_a_partial_reload_reports_its_changes_and_points_to_the_problems() -> None:
    assert reload_notice({**CATALOG, "ok": False}) == (
        "Reloaded in 42 ms  + order_beans  ~ greet  - old. Loaded in part: see 5 Problems.",
        "warning",
    )


def test_many_names_are_counted() -> None:
    changes = {"tools": {"added": [f"tool_{number}" for number in range(10)]}}
    notice = reload_notice({**CATALOG, "changes": changes})
    assert notice is not None
    assert notice[0].endswith("tool_3 and 6 more")


def test_a_first_load_has_no_notice() -> None:
    assert reload_notice({}) is None
    assert reload_notice({**CATALOG, "generation": 1}) is None
