"""The result of a reload as text."""

from typing import Any

from tests.workbench.tui.fakes import CATALOG
from workbench.model.definitions.change import DefinitionChange, Verdict
from workbench.tui.reload_texts import list_change_notice, reload_notice, reload_text


def test_a_reload_reports_its_duration_and_changes() -> None:
    notice = reload_notice({**CATALOG, "problems": []})
    assert notice == ("Reloaded in 42 ms  + order_beans  ~ greet  - old", "information")


def test_a_reload_that_left_problems_counts_them() -> None:
    assert reload_notice(CATALOG) == (
        "Reloaded in 42 ms  + order_beans  ~ greet  - old. 2 problems: see alt+5 Problems.",
        "warning",
    )


def test_a_reload_reports_for_whom_its_changes_are_breaking() -> None:
    breaking = DefinitionChange(("inputSchema", "required"), "`name` is required now.", Verdict.CALLERS)
    harmless = DefinitionChange(("description",), "It has another description.")
    notice = reload_notice({**CATALOG, "problems": []}, {("tool", "greet"): [breaking, harmless]})
    assert notice == ("Reloaded in 42 ms  + order_beans  ~ greet  - old · breaking for callers", "information")
    notice = reload_notice({**CATALOG, "problems": []}, {("tool", "greet"): [harmless]})
    assert notice is not None
    assert notice[0].endswith(" · not breaking")


def test_a_reload_shows_each_change_with_its_verdict_and_breaking_ones_first() -> None:
    harmless = DefinitionChange(("description",), "It has another\x1b description.")
    breaking = DefinitionChange(("inputSchema", "required"), "`name` is required now.", Verdict.CALLERS)
    text = reload_text(CATALOG, {("tool", "a"): [harmless], ("tool", "greet"): [breaking]}).plain
    assert text.endswith(
        "  ✗ greet: `name` is required now. (breaking for callers)\n  · a: It has another\\x1b description."
    )
    text = reload_text(CATALOG, {("tool", "a"): [harmless] * 20}).plain
    assert text.endswith("  and 10 further changes")


FAILED = {**CATALOG, "ok": False, "reloaded": [], "changes": {}}


def problem(message: str, file: str = "", line: int = 0, **facts: Any) -> dict[str, Any]:
    return CATALOG["problems"][0] | {"message": message, "file": file, "line": line} | facts


def test_a_failed_reload_states_the_place_and_the_message_of_the_error() -> None:
    unloaded = problem("b.py has a syntax error: invalid syntax.", "/demo/b.py", 12, kind="TOOLKIT_LOAD_FAILED")
    assert reload_notice({**FAILED, "problems": [unloaded]}) == (
        "b.py:12 has a syntax error: invalid syntax. The previous tools are still served: see alt+5 Problems.",
        "error",
    )
    notice = reload_notice({**FAILED, "problems": [*CATALOG["problems"], unloaded]})
    assert notice is not None
    assert notice[0].startswith("b.py:12 has a syntax error: invalid syntax. (1 other error) The previous")


def test_a_failed_reload_without_the_place_of_an_error_points_to_the_problems() -> None:
    for problems in ([], [problem("No file.")], [problem("A warning.", "/demo/a.py", 1, severity="warning")]):
        assert reload_notice({**FAILED, "problems": problems}) == (
            "The reload failed. The previous tools are still served: see alt+5 Problems.",
            "error",
        )


def test_a_partial_reload_reports_its_changes_and_points_to_the_problems() -> None:
    assert reload_notice({**CATALOG, "ok": False}) == (
        "booking.py:14: The tool 'book' has a parameter without a type: guests. "
        "Loaded in part: see alt+5 Problems · Reloaded in 42 ms  + order_beans  ~ greet  - old",
        "warning",
    )
    assert reload_notice({**CATALOG, "ok": False, "problems": []}) == (
        "Reloaded in 42 ms  + order_beans  ~ greet  - old. Loaded in part: see alt+5 Problems.",
        "warning",
    )


def test_many_names_are_counted() -> None:
    changes = {"tools": {"added": [f"tool_{number}" for number in range(10)]}}
    notice = reload_notice({**CATALOG, "changes": changes, "problems": []})
    assert notice is not None
    assert notice[0].endswith("tool_3 and 6 more")


def test_a_first_load_has_no_notice() -> None:
    assert reload_notice({}) is None
    assert reload_notice({**CATALOG, "generation": 1}) is None


def test_a_reload_shows_additions_changes_and_removals() -> None:
    text = reload_text(CATALOG).plain
    assert "+ tools added: order_beans" in text
    assert "~ tools changed: greet" in text
    assert "- tools removed: old" in text
    assert "modules: tools.greeting" in text


def test_a_failed_reload_reports_that_the_old_tools_stay() -> None:
    text = reload_text({**CATALOG, "ok": False, "reloaded": [], "changes": {}}).plain
    assert "✗ Reload 1 failed" in text
    assert "previous tools are still served" in text


def test_a_reload_beside_files_that_do_not_load_shows_its_changes() -> None:
    text = reload_text({**CATALOG, "ok": False}).plain
    assert "✗ Reload 1 in 42 ms, loaded in part" in text
    assert "+ tools added: order_beans" in text
    assert "previous tools" not in text


def test_a_first_load_counts_instead_of_listing() -> None:
    text = reload_text({**CATALOG, "generation": 1}).plain
    assert "2 tools, 0 resources, 0 prompts" in text
    assert "added" not in text


def test_a_reload_without_visible_changes_shows_a_note() -> None:
    assert "Nothing that clients see has changed." in reload_text({**CATALOG, "changes": {}}).plain


def test_before_the_first_load_nothing_is_claimed() -> None:
    assert reload_text({}).plain == "Nothing has been loaded yet."


RELAYED = {"tools": [{"name": "a"}, {"name": "b\x1b"}], "resources": [{"uri": "demo://menu"}]}
RELAYED_CHANGES = {
    ("tool", "a"): [DefinitionChange(("inputSchema", "required"), "`x` is required now.", Verdict.CALLERS)],
    ("tool", "b\x1b"): [DefinitionChange((), "The tool is new.")],
    ("tool", "c"): [DefinitionChange((), "The tool is removed.", Verdict.CALLERS)],
}


def test_changed_lists_of_a_relayed_server_have_the_notice_of_a_reload() -> None:
    notice = list_change_notice(RELAYED, RELAYED_CHANGES)
    assert notice == "The server changed its lists  + b\\x1b  ~ a  - c · breaking for callers"


def test_the_lists_of_a_relayed_server_are_counted_and_have_their_last_change() -> None:
    assert reload_text(RELAYED).plain == "✓ Lists of the server\n2 tools, 1 resource, 0 prompts"
    text = reload_text(RELAYED, RELAYED_CHANGES).plain
    assert "last change  + b\\x1b  ~ a  - c · breaking for callers" in text
    assert "✗ a: `x` is required now. (breaking for callers)" in text


def test_the_files_that_are_not_loaded_are_shown_with_their_reasons() -> None:
    skipped = [{"file": f"/p/{name}.py", "reason": "it is a test"} for name in ("a", "b", "c", "d")]
    text = reload_text({**CATALOG, "skipped": skipped[:1]}).plain
    assert text.endswith("\n1 file not loaded (a.py: it is a test); `workbench files` lists all")
    text = reload_text({**CATALOG, "skipped": skipped}).plain
    assert "4 files not loaded (a.py: it is a test; b.py: it is a test; c.py: it is a test; …)" in text
    assert "not loaded" not in reload_text(CATALOG).plain


def test_a_first_load_with_errors_reports_which_tools_are_served() -> None:
    text = reload_text({**CATALOG, "ok": False, "generation": 1}).plain
    assert "✗ First load in 42 ms, loaded in part" in text
    assert "2 tools, 0 resources, 0 prompts" in text
    assert "Definitions without errors are served" in text
    assert "previous tools" not in text
