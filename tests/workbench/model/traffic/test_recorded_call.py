"""The call in a recorded request."""

from tests.workbench.model.records import Wire
from workbench.model.catalog import OfferKind
from workbench.model.saved_calls import SavedCall
from workbench.model.traffic.recorded_call import call_in


def test_a_request_that_calls_something_can_be_made_again() -> None:
    wire = Wire()
    assert call_in(wire.call(1, "greet").data) == SavedCall(
        "greet", OfferKind.TOOL, "greet", {"name": "Ada"}, is_recorded=True
    )
    menu = wire.request(2, "resources/read", {"uri": "demo://menu"}).data
    assert call_in(menu) == SavedCall("demo://menu", OfferKind.RESOURCE, "demo://menu", is_recorded=True)
    plan = wire.request(3, "prompts/get", {"name": "plan", "arguments": {"key": "<secret KEY>"}}).data
    assert call_in(plan) == SavedCall("plan", OfferKind.PROMPT, "plan", {"key": "${secret:KEY}"}, is_recorded=True)


def test_other_messages_call_nothing() -> None:
    wire = Wire()
    for data in (wire.request(1, "tools/list").data, wire.result(1).data, b"[]", b"\xff", b'{"method": 1}'):
        assert call_in(data) is None
