"""Five revisions: what `initialize` agrees on, and which methods each of them has."""

from server_core.protocol.methods import METHODS, NOTIFICATIONS, Side, served_methods
from server_core.protocol.revisions import (
    HANDSHAKE_REVISIONS,
    LATEST,
    LATEST_STATELESS,
    REVISIONS,
    STATELESS_REVISIONS,
    negotiate,
)
from tests.tables import each_row


def test_each_revision_is_agreed_on_or_named_by_requests() -> None:
    assert list(HANDSHAKE_REVISIONS) == ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    assert list(STATELESS_REVISIONS) == ["2026-07-28"]


@each_row("date", HANDSHAKE_REVISIONS)
def test_a_revision_with_a_handshake_is_agreed_on(date: str) -> None:
    assert negotiate(date).date == date


@each_row("date", [*STATELESS_REVISIONS, "", "2099-01-01", "1.0"])
def test_anything_else_is_answered_with_the_latest_that_has_a_handshake(date: str) -> None:
    assert negotiate(date) is LATEST


# 2026-07-28 removed the features that gave a connection a state. Sources: the changelogs of the revisions.
REMOVED = {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
ADDED = {"server/discover", "subscriptions/listen", "tasks/update"}


def methods_of(date: str) -> set[str]:
    return set(served_methods(Side.SERVER, REVISIONS[date]))


def test_the_stateless_revision_has_other_methods() -> None:
    assert methods_of("2025-11-25") - methods_of("2026-07-28") == REMOVED | {"tasks/list", "tasks/result"}
    assert methods_of("2026-07-28") - methods_of("2025-11-25") == ADDED


def test_tasks_came_with_2025_11_25() -> None:
    assert methods_of("2025-11-25") - methods_of("2025-06-18") == {
        "tasks/get",
        "tasks/list",
        "tasks/result",
        "tasks/cancel",
    }
    assert methods_of("2025-06-18") == methods_of("2025-03-26") == methods_of("2024-11-05")


@each_row(
    ("date", "asked"),
    [
        ("2024-11-05", {"ping", "sampling/createMessage", "roots/list"}),
        ("2025-06-18", {"ping", "sampling/createMessage", "roots/list", "elicitation/create"}),
        ("2026-07-28", set()),
    ],
)
def test_the_requests_to_a_client_depend_on_the_revision(date: str, asked: set[str]) -> None:
    assert set(served_methods(Side.CLIENT, REVISIONS[date])) == asked


def test_before_a_revision_is_agreed_on_every_method_of_the_handshakes_exists() -> None:
    assert "elicitation/create" in served_methods(Side.CLIENT)
    assert "server/discover" not in served_methods(Side.SERVER)


def test_notifications_know_their_senders_and_revisions() -> None:
    assert NOTIFICATIONS["notifications/initialized"].senders == {Side.CLIENT}
    assert "2026-07-28" not in NOTIFICATIONS["notifications/roots/list_changed"].revisions
    assert NOTIFICATIONS["notifications/elicitation/complete"].revisions == {"2025-11-25"}
    assert NOTIFICATIONS["notifications/subscriptions/acknowledged"].revisions == {"2026-07-28"}


def test_only_specified_methods_have_rounds_or_are_cacheable() -> None:
    assert {method.name for method in METHODS.values() if method.multi_round} == {
        "tools/call",
        "prompts/get",
        "resources/read",
    }
    assert {method.name for method in METHODS.values() if method.cacheable} == {
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    }


def test_features_only_grow_but_for_what_was_removed() -> None:
    assert LATEST.sse_polling
    assert not LATEST_STATELESS.sse_polling
    assert [date for date, item in REVISIONS.items() if item.batches] == ["2025-03-26"]
    assert [date for date, item in REVISIONS.items() if item.core_tasks] == ["2025-11-25"]
