"""The questions that a tool no longer waits for: between two rounds, a stateless server cannot notify its client.

It has given up, or another terminal has answered. The core records it as an event. The terminal then withdraws the
question and sends the next round without a response to it, so that the call goes on or ends.
"""

import json
from typing import TYPE_CHECKING

from server_core.records.tap import Record
from workbench.model.traffic.entry import parse_object
from workbench.model.traffic.run_records import RunRecords

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

EXPIRY_EVENT = "input_request_expired"
ANSWERED_EVENT = "input_request_answered"
END_EVENTS = frozenset({EXPIRY_EVENT, ANSWERED_EVENT})


def end_question(workspace: "Workspace", record: Record) -> None:
    """End the question that an event of the core is about; nothing if another client was asked."""
    event = parse_object(record.data) or {}
    request_id = event.get("id")
    run = workspace.history.find_request(request_id) if isinstance(request_id, str | int) else None
    if run is None:
        return
    # The requests of other clients may have the same ids.
    records = RunRecords(workspace.timeline, run)
    records.refresh()
    if records.first is None or records.first.session != record.session:
        return
    call = json.dumps(request_id)
    for question in list(workspace.questions.waiting):
        if question.call == call and question.id == event.get("key"):
            if event.get("event") == ANSWERED_EVENT:
                question.end_elsewhere()
            else:
                question.expire()
