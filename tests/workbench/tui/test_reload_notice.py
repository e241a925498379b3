"""What is told about a reload."""

from tests.workbench.tui.fakes import CATALOG
from workbench.tui.reload_notice import reload_notice


def test_a_reload_tells_how_long_it_took_and_what_changed() -> None:
    assert reload_notice(CATALOG) == ("Reloaded in 42 ms  + order_beans  ~ greet  - old", "information")


def test_a_failed_reload_points_to_the_problems() -> None:
    news = reload_notice({**CATALOG, "ok": False, "reloaded": [], "changes": {}})
    assert news is not None
    assert "5 Problems" in news[0]
    assert news[1] == "error"


def test_a_reload_of_all_but_some_files_tells_what_changed_and_points_to_the_problems() -> None:
    assert reload_notice({**CATALOG, "ok": False}) == (
        "Reloaded in 42 ms  + order_beans  ~ greet  - old. Not all loads: see 5 Problems.",
        "warning",
    )


def test_many_names_are_counted() -> None:
    changes = {"tools": {"added": [f"tool_{number}" for number in range(10)]}}
    news = reload_notice({**CATALOG, "changes": changes})
    assert news is not None
    assert news[0].endswith("tool_3 and 6 more")


def test_a_first_load_is_no_news() -> None:
    assert reload_notice({}) is None
    assert reload_notice({**CATALOG, "generation": 1}) is None
