"""A capture is read as a conversation."""

import sqlite3
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Direction, Kind, Tap
from tests.workbench.replay.conversation import Conversation
from workbench.replay.recording import Answered, Sent, SentNotification, SessionEnded
from workbench.replay.recording_reader import read_recording


def test_the_time_of_a_call_leaves_out_for_how_long_it_was_held() -> None:
    talk = Conversation()
    talk.client_asks(1, "tools/call", name="a")
    talk.happens("message_held", message=1)
    talk.happens("message_released", message=1)
    talk.server_answers(1)
    talk.happens("message_held", message=4)
    talk.happens("message_released", message=4)
    assert [step.exchange.seconds for step in talk.recording().steps if isinstance(step, Answered)] == [2.0]


def test_requests_find_their_answers_by_session_and_by_the_type_of_the_id() -> None:
    talk = Conversation()
    talk.client_asks(1, "tools/call", name="a")
    talk.client_asks("1", "tools/call", name="b")
    talk.session = "s2"
    talk.client_asks(1, "ping")
    talk.server_answers(1, of="s2")
    talk.session = "s1"
    talk.server_answers("1", of="b")
    talk.server_answers(1, of="a")
    steps = talk.recording().steps
    sent = [step.exchange for step in steps if isinstance(step, Sent)]
    assert [exchange.body for exchange in sent] == [{"result": {"of": of}} for of in ("a", "b", "s2")]
    assert [step.exchange.seq for step in steps if isinstance(step, Answered)] == [3, 2, 1]


@pytest.fixture
def stored() -> Path:
    """A capture of a run without a client."""
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0)
    store.start()
    tap.emit(Kind.STDERR, b"noise")
    store.close()
    assert store.path is not None
    return store.path


def test_a_capture_without_a_request_is_nothing_to_replay(stored: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nothing to replay\. No client has sent a request in .*\.capture\.$"):
        read_recording(stored)


def test_an_empty_capture_is_reported_with_what_may_be_missing(stored: Path) -> None:
    with sqlite3.connect(stored) as connection:
        connection.execute("UPDATE records SET kind = 'gossip'")
        connection.execute("DELETE FROM meta WHERE key = 'ended'")
    connection.close()
    with pytest.raises(
        ConfigurationError, match=r"nothing to replay.*none of its records .*\.capture-wal along with it"
    ):
        read_recording(stored)


def test_records_other_than_messages_of_the_client_are_left_out() -> None:
    talk = Conversation()
    talk.add(Kind.MALFORMED, Direction.IN, b"{")
    talk.add(Kind.STDERR, Direction.OUT, b"noise")
    talk.add(Kind.LIFECYCLE, Direction.NONE, b"not json")
    talk.add(Kind.LIFECYCLE, Direction.NONE, b"[]")
    talk.server_answers(5)
    talk.client_answers(5)
    talk.client_notifies("notifications/initialized")
    talk.client_notifies("notifications/cancelled", requestId="unknown")
    talk.client_notifies("notifications/cancelled", requestId=["no id"])
    talk.server_asks(1, "ping")
    assert talk.recording().steps == []
    assert talk.recording().questions == {}


def test_notifications_and_the_ends_of_sessions_are_steps() -> None:
    talk = Conversation()
    talk.client_notifies("notifications/roots/list_changed")
    talk.happens("session_closed")
    notification, left = talk.recording().steps
    assert notification == SentNotification("s1", "notifications/roots/list_changed", {})
    assert left == SessionEnded("s1")


def test_the_project_of_a_capture_is_known_while_it_exists(tmp_path: Path) -> None:
    talk = Conversation()
    talk.happens("core_started", project=str(tmp_path))
    assert talk.recording().project == tmp_path
    gone = Conversation()
    gone.happens("core_started", project=str(tmp_path / "gone"))
    assert gone.recording().project is None
    relay = Conversation()
    relay.happens("core_started", project="http://localhost:1/mcp")
    assert relay.recording().project is None


def test_parts_that_a_capture_lacks_are_noted() -> None:
    talk = Conversation()
    talk.happens("records_dropped", count=3, bytes=2048, last=3)
    talk.happens("capture_full")
    dropped, full = talk.recording().notes
    assert dropped == "At record 1: 3 records, 2.0 KB, were dropped: the disk was too slow."
    assert "later records were not written" in full


def test_a_capture_file_is_read(tmp_path: Path) -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c", project="p", server="p 1", started=1.0)
    store.start()
    tap.emit(Kind.REQUEST, b'{"jsonrpc":"2.0","id":1,"method":"ping"}', session="s1", direction=Direction.IN)
    store.close()
    assert store.path is not None
    (step,) = read_recording(store.path).steps
    assert isinstance(step, Sent)
    assert step.exchange.obstacle == "it has no response"


@pytest.mark.parametrize("content", [None, b"", b"no capture"])
def test_a_file_that_is_no_capture_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.capture"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"x\.capture"):
        read_recording(path)


def test_independent_clients_may_have_used_the_same_id_at_the_same_time() -> None:
    talk = Conversation()
    talk.stateless(1, "tools/call", name="gone")
    talk.happens("call_abandoned", id=1)
    talk.stateless(1, "tools/call", name="a")
    talk.client_asks(1, "tools/call", name="b")
    talk.server_answers(1, resultType="complete", content=["a"])
    talk.server_answers(1, content=["b"])
    gone, first, second = [step.exchange for step in talk.recording().steps if isinstance(step, Sent)]
    assert gone.obstacle.startswith("it was cancelled")
    assert (first.body["result"]["content"], second.body["result"]["content"]) == (["a"], ["b"])


def test_a_response_belongs_to_the_request_that_it_names_by_number() -> None:
    talk = Conversation()
    for name in ("a", "b", "c"):
        talk.stateless(1, "tools/call", name=name)
    talk.add(Kind.RESPONSE, Direction.OUT, {"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}}, "1@3")
    talk.add(Kind.LIFECYCLE, Direction.NONE, {"event": "call_abandoned", "id": 1}, "1@1")
    sent = [step.exchange for step in talk.recording().steps if isinstance(step, Sent)]
    assert [(item.cancelled, item.answer is not None) for item in sent] == [
        (True, False),
        (False, False),
        (False, True),
    ]


def test_a_request_that_was_edited_while_it_was_held_is_replayed_as_it_was_delivered() -> None:
    talk = Conversation()
    talk.client_asks(1, "tools/call", name="a")
    edited = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "b"}}
    talk.add(Kind.REQUEST, Direction.IN, edited, "1@1")
    talk.happens("message_edited", message=1, passed=[2])
    talk.server_answers(5, of="b")
    [sent] = [step.exchange for step in talk.recording().steps if isinstance(step, Sent)]
    assert (sent.name, sent.body, sent.obstacle) == ("b", {"result": {"of": "b"}}, "")


def test_a_request_that_was_answered_by_hand_is_not_replayed() -> None:
    talk = Conversation()
    talk.client_asks(1, "tools/call", name="a")
    talk.happens("message_answered", message=1)
    talk.server_answers(1, of="nothing")
    [sent] = [step.exchange for step in talk.recording().steps if isinstance(step, Sent)]
    assert sent.obstacle == "it was answered by hand while it was held"


def test_a_notification_that_was_edited_while_it_was_held_is_replayed_as_it_was_delivered() -> None:
    talk = Conversation()
    talk.client_notifies("notifications/roots/list_changed", _meta={"by": "client"})
    talk.client_notifies("notifications/roots/list_changed", _meta={"by": "operator"})
    talk.happens("message_edited", message=1, passed=[2])
    [sent] = [step for step in talk.recording().steps if isinstance(step, SentNotification)]
    assert sent.params == {"_meta": {"by": "operator"}}


def test_a_held_notification_is_replayed_as_often_as_it_was_delivered() -> None:
    events = ("message_released", "message_duplicated", "message_dropped", "message_expired")
    counts = {}
    for event in events:
        talk = Conversation()
        talk.client_notifies("notifications/roots/list_changed")
        if event == "message_duplicated":
            talk.client_notifies("notifications/roots/list_changed")
        talk.happens(event, message=1)
        counts[event] = sum(isinstance(step, SentNotification) for step in talk.recording().steps)
    assert counts == dict(zip(events, (1, 2, 0, 0), strict=True))


def test_an_event_that_names_no_message_leaves_out_nothing() -> None:
    talk = Conversation()
    talk.client_notifies("notifications/roots/list_changed")
    talk.happens("message_dropped", message=[1])
    talk.happens("message_answered", message={})
    assert len(talk.recording().steps) == 1
