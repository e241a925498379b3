"""Messages that were held, as the inspector shows them: waiting, changed, and what was delivered instead."""

from server_core.records.tap import Direction, Kind, Record
from tests.waiting import until
from tests.workbench.tui.fakes import FakeLink, conversation, record
from tests.workbench.tui.screens.inspector_pane import inspecting, text
from workbench.tui.screens.inspector_pane import InspectorPane


def call(seq: int, city: str) -> Record:
    message = {"jsonrpc": "2.0", "id": 90, "method": "tools/call", "params": {"name": "weather", "arguments": city}}
    return record(seq, Kind.REQUEST, Direction.IN, message)


def event(seq: int, name: str, **facts: object) -> Record:
    return record(seq, Kind.LIFECYCLE, Direction.NONE, {"event": name, "message": 17} | facts)


async def show_detail(pane: InspectorPane) -> None:
    """Move to the message that is held, once it is among the rows."""
    await until(lambda: pane.traffic.view.row_of(17) is not None)
    pane.traffic.is_following = False
    pane.traffic.move_to(pane.traffic.view.row_of(17) or 0)


async def test_the_detail_states_that_a_message_is_held_until_it_is_delivered() -> None:
    link = FakeLink(conversation())
    async with inspecting(link, size=(170, 48), by_call=True) as (_, pane):
        link.arrive([call(17, "Oslo"), event(18, "message_held")])
        await show_detail(pane)
        await until(lambda: "request #17 · ‖ held" in text(pane))
        link.arrive([event(19, "message_released")])
        await until(lambda: "request #17 · … waits" in text(pane))
        await until(lambda: "then released." in text(pane))


async def test_a_request_is_held_as_long_as_its_response_is() -> None:
    link = FakeLink(conversation())
    async with inspecting(link, size=(170, 48), by_call=True) as (_, pane):
        answer = record(18, Kind.RESPONSE, Direction.OUT, {"jsonrpc": "2.0", "id": 90, "result": {"content": []}})
        link.arrive([call(17, "Oslo"), answer, event(19, "message_held", message=18)])
        await show_detail(pane)
        await until(lambda: "request #17 · ‖ held" in text(pane))
        await until(lambda: "result #18 · ‖ held" in text(pane))
        link.arrive([event(20, "message_released", message=18)])
        await until(lambda: "request #17 · ✓ ok" in text(pane))
        await until(lambda: "result #18 · ✓ ok" in text(pane))


async def test_a_message_that_waits_and_its_change_are_shown_in_its_row_and_in_the_detail() -> None:
    link = FakeLink(conversation())
    async with inspecting(link, size=(170, 48), by_call=True) as (_, pane):
        link.arrive([call(17, "Oslo"), event(18, "message_held")])
        await until(lambda: "‖ held" in text(pane))
        link.arrive([call(19, "Rome"), event(20, "message_edited", passed=[19])])
        await until(lambda: "[edited] weather" in text(pane))
        assert "‖ held" not in text(pane)
        pane.traffic.is_following = False
        pane.traffic.move_to(pane.traffic.view.row_of(17) or 0)
        await until(lambda: "#17 was changed to #19 while it was held: 1 change" in text(pane))
        assert '"Oslo" → "Rome"' in text(pane)
        pane.traffic.move_to(pane.traffic.view.row_of(19) or 0)
        await until(lambda: "Delivered by an operator instead of #17." in text(pane))
        assert "[passed] " in text(pane)
