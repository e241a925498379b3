"""The filter language: the entries that each term matches, and the errors of text that is no filter."""

import json
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server_core.records.tap import Direction, Kind
from tests.tables import each_row
from tests.workbench.model.records import IN, OUT, Wire, timeline_of
from workbench.model.traffic.annotations import Annotation
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.filter_paths import value_filter
from workbench.model.traffic.filter_tokens import FilterError
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.json_path import path_of
from workbench.model.traffic.timeline import BODY_BUDGET, Timeline


def traffic(body_budget: int = BODY_BUDGET) -> Timeline:
    wire, timeline = Wire(), Timeline(body_budget)
    timeline.extend(
        [
            wire.request(0, "initialize", {"clientInfo": {"name": "Inspector"}}),  # 1
            wire.result(0),  # 2
            wire.call(7, "greet"),  # 3
            wire.call("7", "add"),  # 4
            wire.result(7, {"content": [{"type": "text", "text": 'Hello Zoë, "you" (& I)'}]}),  # 5
            wire.error("7"),  # 6
            wire.call(8, "slow", session="s2"),  # 7
            wire.raw(Kind.STDERR, b"Timed out\n", direction=Direction.NONE, session=""),  # 8
            wire.raw(Kind.MALFORMED, b"{oops"),  # 9
            wire.notification("notifications/cancelled", {"requestId": 8}, direction=IN, session="s2"),  # 10
            wire.call(9, "wait"),  # 11
            wire.call(10, "fail"),  # 12
            wire.result(10, {"isError": True}),  # 13
            wire.request(1, "elicitation/create", {}, direction=OUT, call="9"),  # 14
        ]
    )
    return timeline


@each_row(
    ("text", "seqs"),
    [
        ("method:initialize", [1, 2]),
        ("method:TOOLS/", [3, 4, 5, 6, 7, 11, 12, 13]),
        ("tool:greet", [3, 5]),
        ("tool:wait", [11, 14]),
        ("client:inspect", [1, 2, 3, 4, 5, 6, 9, 11, 12, 13, 14]),
        ("dir:out", [2, 5, 6, 13, 14]),
        ("dir:s2c kind:request", [14]),
        ("dir:c2s kind:notify", [10]),
        ("status:ok", [1, 2, 3, 5]),
        ("status:err", [4, 6, 9, 12, 13]),
        ("status:error", [4, 6, 9]),
        ("status:tool", [12, 13]),
        ("status:pending", [11, 14]),
        ("status:cancelled", [7]),
        ("id:7", [3, 4, 5, 6]),
        ('id:"7"', [4, 6]),
        ("kind:stderr", [8]),
        ("session:s2", [7, 10]),
        ("call:3", [3, 5]),
        ("call:11", [11, 14]),
        ("text:hello", [5]),
        ("zoë", [5]),
        ("ZOË", [5]),
        ('"hello zoë"', [5]),
        (r'"\"you\""', [5]),
        ("/tim(e|ing)d out/", [8]),
        ("/^tools.call$/ tool:add", [4, 6]),
        ("dur>=150ms", [3, 4, 5, 6]),
        ("dur<0.15s", [1, 2, 12, 13]),
        ("dur>1min", []),
        ("size<15", [8, 9]),
        ("size>1k", []),
        ("seq>12", [13, 14]),
        ("seq=3", [3]),
        ("tool:greet | tool:add", [3, 4, 5, 6]),
        ("tool:greet dir:in | kind:stderr", [3, 8]),
        ("tool:greet & dir:in", [3]),
        ("dir:in (tool:greet | tool:add)", [3, 4]),
        ("!dir:in !dir:out", [8]),
        ("! (dir:in | dir:out)", [8]),
        ("!!kind:stderr", [8]),
        ("  ", list(range(1, 15))),
        ("$.params.name == greet", [3]),
        ('$.params.name=="greet" | $.params["name"] == add', [3, 4]),
        ("$.params.name != greet dir:in kind:request tool:a", [4, 11, 12]),
        ("$.params.name =~ /^(ADD|fa)/", [4, 12]),
        ("$.params.name < d", [4]),
        ("$.id >= 9", [11, 12, 13]),
        ("$.id == 7", [3, 5]),
        ('$.id == "7"', [4, 6]),
        ("$.result.content[0].text exists", [5]),
        ("$.result.content[*].text", [5]),
        ("$.result.*[0].text =~ /zo/", [5]),
        ("$.result.content[1]", []),
        ("$.id.name", []),
        ("$.result.isError == true", [13]),
        ("$.result.isError == 1", []),
        ("!$.id kind:notify", [10]),
        ("$price", []),
        ("notifications/ dir:in", [10]),
    ],
)
def test_a_filter_matches_its_terms(text: str, seqs: list[int]) -> None:
    test = parse_filter(text)
    assert [entry.seq for entry in traffic() if test(entry)] == seqs


@each_row(
    ("text", "seqs"),
    [
        ("secret:leak", [1, 3]),
        ("secret:api", [1]),
        ("secret:other", []),
        ("mark:red", [1]),
        ("mark:*", [1, 2]),
        ("!mark:*", [3]),
        ("comment:LATER", [2]),
        ("comment:*", [2]),
    ],
)
def test_messages_are_selected_by_masked_secrets_marks_and_comments(text: str, seqs: list[int]) -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.result(1, {"key": "<secret API_KEY>"}),
        wire.result(2, {"key": "<secrets>"}),
        wire.raw(Kind.STDERR, b"token <secret TOKEN>"),
    )
    timeline.annotate(1, Annotation("red"))
    timeline.annotate(2, Annotation("green", "look later"))
    assert [entry.seq for entry in timeline if parse_filter(text)(entry)] == seqs


def test_a_word_matches_where_json_writes_it_with_escapes() -> None:
    wire, timeline = Wire(), Timeline()
    timeline.extend([wire.raw(Kind.NOTIFICATION, json.dumps({"method": "m", "x": "Zoë 😀"}).encode())])
    assert parse_filter("zoë")(timeline[0])
    assert parse_filter('"😀"')(timeline[0])
    assert not parse_filter("zoe")(timeline[0])


def test_a_path_matches_a_key_that_is_written_with_escapes() -> None:
    wire, timeline = Wire(), Timeline()
    timeline.extend([wire.raw(Kind.NOTIFICATION, rb'{"method": "m", "params": {"caf\u00E9": {"a b": [1, "x"]}}}')])
    assert parse_filter('$.params.café["a b"][1] == x')(timeline[0])
    assert not parse_filter('$.params.café["a b"][1] == y')(timeline[0])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(), values, max_size=3),
    max_leaves=5,
)


@given(value=JSON)
def test_the_filter_for_a_value_of_a_message_matches_it(value: object) -> None:
    wire, timeline = Wire(), Timeline()
    timeline.extend([wire.raw(Kind.NOTIFICATION, json.dumps({"method": "m", "params": value}).encode())])
    document = JsonDocument(timeline[0].data or b"")
    for line in range(1, document.line_count):
        if (path := path_of(document, line)) != "$":
            assert parse_filter(value_filter(path, document.value(line)))(timeline[0])


def test_requests_of_stateless_clients_are_selected_with_what_belongs_to_them() -> None:
    wire, timeline = Wire(), Timeline()
    for id, name in enumerate(["one", "two", 3]):
        meta = {"_meta": {"io.modelcontextprotocol/clientInfo": {"name": name}}}
        timeline.extend([wire.request(id, "tools/list", meta), wire.result(id)])
    assert [entry.seq for entry in timeline if parse_filter("client:two")(entry)] == [3, 4]


def test_entries_are_selected_by_time() -> None:
    entries = list(traffic())
    moment = datetime.fromtimestamp(entries[4].time)
    for text in (moment.isoformat(), moment.time().isoformat()):
        assert [entry.seq for entry in entries if parse_filter(f"after:{text}")(entry)] == list(range(5, 15))
        assert [entry.seq for entry in entries if parse_filter(f"before:{text}")(entry)] == [1, 2, 3, 4]
    assert parse_filter("after:0:00")(entries[0])


def test_without_the_body_the_summary_is_searched() -> None:
    timeline = traffic(body_budget=0)
    assert timeline[4].data is None
    assert parse_filter("hello")(timeline[4])
    assert parse_filter("/hel+o/")(timeline[4])
    assert not parse_filter("absent")(timeline[4])


@each_row(
    ("text", "position", "message"),
    [
        ("status:good", 0, "ok, err, error"),
        ("status:eror", 0, "task; did you mean error ?"),
        ("a dir:up", 2, "in, out"),
        ("kind:x", 0, "request"),
        ("method:", 0, "needs a value"),
        ("call:x", 0, "call:12"),
        ("dur>soon", 0, "dur>500ms"),
        ("dur>", 0, "dur>500ms"),
        ("size>5s", 0, "size>64k"),
        ("seq>1k", 0, "seq>100"),
        ('"open', 0, "not closed"),
        ('x method:"open', 9, "not closed"),
        ("(a | b", 0, "not closed"),
        ("a)", 1, "closes no bracket"),
        ("a |", 3, "incomplete"),
        ("| a", 0, "before it"),
        ("a & & b", 4, "before it"),
        ("!", 1, "incomplete"),
        ("after:noon", 0, "after:9:30"),
        ("before:25:00", 0, "before:9:30"),
        ("before:0001-01-01", 0, "before:9:30"),
        ("/(/", 0, "regular expression"),
        ("tool:a /x(", 7, "the regular expression /x... is not closed: add '/'"),
        ("/x)", 0, "not closed"),
        ("/tmp | ", 7, "incomplete"),
        ("a $.b =~ x", 2, "=~ needs"),
        ("$.b =~ /(/", 0, "regular expression"),
        ("$.b == ", 0, "needs a value"),
        ("(" * 1000, 50, "too many brackets"),
        ("!" * 1000, 50, "too many"),
        ("a " * 50_000, 10_000, "too long: use at most 10,000 characters"),
    ],
)
def test_a_problem_of_a_filter_is_reported_with_its_position(text: str, position: int, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert caught.value.position == position
    assert message in caught.value.message


BEGUN = (
    "method:",
    "dir:in",
    "status:asks",
    "id:",
    "era:modern",
    "kind:stdout",
    "text:",
    "dur>500ms",
    "size>64k",
    "seq>",
)
"""Filters as they are typed."""


@settings(deadline=None, database=None, max_examples=200)
@given(st.text(st.sampled_from('ab:>"/\\()|&! 1k') | st.characters(), max_size=15) | st.sampled_from(BEGUN))
def test_no_text_breaks_the_filter(text: str) -> None:
    assert 0 <= error_position(text) <= len(text)


def error_position(text: str) -> int:
    try:
        parse_filter(text)(timeline_of(Wire().call(1, "a"))[0])
    except FilterError as error:
        return error.position
    return 0


@each_row(
    ("text", "field"),
    [("tol:greet", "tool"), ("tool=greet", "tool"), ("Methd:x", "method"), ("dir:in stat:ok", "status")],
)
def test_a_word_that_resembles_a_field_has_a_hint(text: str, field: str) -> None:
    assert parse_filter(text).hint.endswith(f"did you mean {field}: ?")


@each_row("text", ["", "tool:greet", "https://example.org", "a=b", '"tol:greet"', "/tol:greet/"])
def test_a_word_of_its_own_has_no_hint(text: str) -> None:
    assert parse_filter(text).hint == ""
