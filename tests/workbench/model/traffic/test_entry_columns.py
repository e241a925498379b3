"""The facts of entries are as they were set, also where there are many, or large numbers."""

import json
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server_core.records.tap import Direction, Kind, Record
from tests.workbench.model.records import IN, OUT, Wire, drop_bodies, timeline_of
from workbench.model.traffic import entry_columns, request_index
from workbench.model.traffic.request_index import id_text
from workbench.model.traffic.timeline import Timeline

IDS = st.integers(-(2**63), 2**70) | st.text(max_size=5) | st.sampled_from(["7", 7, "007", 2**31, 2**63 - 1])


def request(seq: int, id: int | str, name: str, *, session: str = "s1", call: str = "") -> Record:
    message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name}}
    return Record(seq, seq / 10, session, Direction.IN, Kind.REQUEST, call, json.dumps(message).encode())


@settings(deadline=None, database=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(1, 2**34), IDS, st.text(max_size=4), st.text(max_size=4)), max_size=8))
def test_facts_are_stored_as_they_were_read(facts: list[tuple[int, int | str, str, str]]) -> None:
    timeline, seq = Timeline(), 0
    expected = []
    for step, id, name, session in facts:
        seq += step
        timeline.extend([request(seq, id, name, session=session, call=name)])
        expected.append((seq, id_text(id), name, session, name))
    assert [(entry.seq, entry.id, entry.name, entry.session, entry.call) for entry in timeline] == expected
    assert [timeline.by_seq(seq) for seq, *_ in expected] == list(timeline)


def test_more_texts_than_two_bytes_can_number_are_kept_apart() -> None:
    # Beyond 65,536 texts, the numbers have four bytes.
    count = 2**16 + 100
    timeline = timeline_of(*(request(seq, 1, f"tool {seq}") for seq in range(1, count + 1)))
    for index in (0, 2**16 - 2, 2**16 - 1, 2**16, count - 1):
        assert (timeline[index].name, timeline[index].method) == (f"tool {index + 1}", "tools/call")


def test_a_response_refers_to_its_request_by_the_name_of_its_record() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(7, "a"), wire.call(7, "b"), wire.result(7, {}, call="7@1"))
    first, second, answer = timeline
    assert (answer.call, answer.pair, answer.named) == ("7@1", first.seq, first.seq)
    assert (first.pair, second.pair) == (answer.seq, 0)


def test_a_name_of_a_record_that_is_missing_is_kept_as_it_is() -> None:
    (entry,) = timeline_of(Wire().result(7, {}, call="7@999"))
    assert (entry.call, entry.named, entry.pair) == ("7@999", 0, 0)


def test_the_running_time_of_a_tool_is_that_of_its_first_request() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(1, "a"), wire.lifecycle("tool_ended", "s1", id=1, ran_ms=12.34), wire.result(1))
    assert timeline.tool_time_of(timeline[0]) == 0.01234
    assert timeline.tool_time_of(timeline[1]) is None


def test_only_the_newest_requests_are_found_by_their_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_index, "MAX_REQUESTS", 3)
    wire = Wire()
    timeline = timeline_of(*(wire.call(id, "a") for id in range(5)), wire.result(0), wire.result(4))
    assert [entry.pair for entry in timeline] == [0, 0, 0, 0, 7, 0, 5]


def test_dropped_bodies_are_read_from_the_capture_in_which_they_are() -> None:
    wire = Wire()
    records = [wire.call(id, f"tool{id}") for id in range(3000)]
    stored = {record.seq: record.data for record in records}
    read: list[range] = []

    def read_capture(path: str, seqs: range, limit: int) -> dict[int, bytes]:
        assert path == "/a.capture"
        read.append(seqs)
        return {seq: stored[seq] for seq in seqs if seq in stored}

    timeline = Timeline(read_capture=read_capture)
    timeline.set_capture("/a.capture")
    timeline.extend(records)
    assert timeline[0].data == stored[1]
    assert not read
    drop_bodies(timeline)
    assert [timeline[index].data for index in (0, 1, 999)] == [stored[1], stored[2], stored[1000]]
    assert timeline[5].summary.startswith("tool5")
    # Neighbours are read together.
    assert read == [range(1, 1001)]
    assert timeline[2999].data == stored[3000]
    assert len(read) == 1


def test_a_body_that_is_in_no_capture_leaves_its_summary() -> None:
    wire = Wire()
    timeline = Timeline(read_capture=lambda path, seqs, limit: {})
    timeline.extend([wire.call(1, "early"), wire.call(2, "late")])
    drop_bodies(timeline)
    timeline.set_capture("/a.capture")
    assert (timeline[0].data, timeline[0].summary) == (None, 'early {"name": "Ada"}')


def test_bodies_of_an_earlier_core_are_read_from_its_capture() -> None:
    def read_capture(path: str, seqs: range, limit: int) -> dict[int, bytes]:
        return {seq: f"{path} {seq}".encode() for seq in seqs}

    timeline = Timeline(read_capture=read_capture)
    timeline.extend([Wire().call(1, "a")])
    timeline.begin_core(2000, "/old.capture")
    timeline.set_capture("/new.capture")
    wire = Wire()
    timeline.extend([wire.call(1, "a"), wire.call(2, "b")])
    drop_bodies(timeline)
    assert [timeline[index].data for index in (0, 2)] == [b"/old.capture 1", b"/new.capture 1"]


def conversation() -> Timeline:
    wire = Wire()
    return timeline_of(
        wire.lifecycle("session_opened", "s1", transport="stdio"),
        wire.call("ü", "greet"),
        wire.result("ü", {"resultType": "input_required", "requestState": "x", "inputRequests": {"a": {}}}),
        wire.request(2, "tools/call", {"name": "greet", "requestState": "x", "inputResponses": {}}),
        wire.result(2, {"content": []}),
        wire.request(3, "elicitation/create", {"message": "?"}, direction=OUT, call='"ü"@2'),
        wire.raw(Kind.MALFORMED, b"{", direction=IN),
    )


def facts_of(timeline: Timeline) -> list[tuple[object, ...]]:
    names = "seq time size kind direction session call id method name status pair parent era revision client mark"
    return [
        (*(getattr(entry, name) for name in names.split()), timeline.transport_of(entry), timeline.followers_of(entry))
        for entry in timeline
    ]


def test_saved_facts_are_loaded_as_they_were() -> None:
    timeline, file, loaded = conversation(), BytesIO(), Timeline()
    timeline.save(file, {"of": "a"})
    file.seek(0)
    assert not Timeline().load(file, {"of": "b"})
    file.seek(0)
    assert loaded.load(file, {"of": "a"})
    assert [fact[:-1] for fact in facts_of(loaded)] == [fact[:-1] for fact in facts_of(timeline)]
    assert [entry.seq for entry in loaded.followers_of(loaded[1])] == [4]


def test_the_columns_take_about_fifty_bytes_for_an_entry() -> None:
    columns = entry_columns.EntryColumns(Timeline().bodies)
    assert sum(column.itemsize for _, column in columns.arrays()) <= 52
