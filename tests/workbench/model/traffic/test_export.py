"""Messages as files: all records can be read again, and hostile texts stay texts."""

import json

from hypothesis import given
from hypothesis import strategies as st

from server_core.records.tap import Direction, Kind, Record
from tests.workbench.model.records import Wire, timeline_of
from workbench.model.traffic.annotations import Annotation
from workbench.model.traffic.export import ExportedMessage, exported
from workbench.model.traffic.timeline import Timeline

RECORDS = st.builds(
    Record,
    st.just(0),
    st.floats(0, 4e9),
    st.text(st.characters(codec="utf-8"), max_size=5),
    st.sampled_from(list(Direction)),
    st.sampled_from(list(Kind)),
    st.text(st.characters(codec="utf-8"), max_size=5),
    st.binary(),
)


def file_of(records: list[Record], ending: str) -> str:
    timeline = Timeline()
    timeline.extend(records)
    return exported([ExportedMessage(entry, entry.data or b"") for entry in timeline], ending)


@given(st.lists(RECORDS))
def test_the_records_of_json_lines_are_those_that_were_exported(records: list[Record]) -> None:
    numbered = [record._replace(seq=seq) for seq, record in enumerate(records, start=1)]
    lines = file_of(numbered, "jsonl").split("\n")
    assert [Record.from_wire(json.loads(line)) for line in lines if line] == numbered
    for ending in ("har", "md", "html"):
        assert file_of(numbered, ending) is not None


def test_har_has_an_exchange_for_each_request_with_its_time() -> None:
    wire = Wire()
    records = [wire.call(1, "greet"), wire.result(1, {"content": []}), wire.call(2, "slow")]
    answered, pending = json.loads(file_of(records, "har"))["log"]["entries"]
    assert answered["request"]["url"] == "http://mcp.invalid/tools/call"
    assert (answered["time"], answered["response"]["status"], pending["response"]["status"]) == (100, 200, 202)
    assert json.loads(answered["response"]["content"]["text"])["result"] == {"content": []}
    assert answered["startedDateTime"] == "1970-01-01T00:16:40.100+00:00"


def test_texts_of_others_end_no_block_and_are_no_markup() -> None:
    wire = Wire()
    hostile = wire.raw(Kind.STDOUT, b"```\n</pre><script>alert(1)</script>\x1b[31m")
    assert "````json\n" in file_of([hostile], "md")
    page = file_of([hostile], "html")
    assert "<script>" not in page
    assert "\x1b" not in page


def test_marks_and_comments_are_in_every_format() -> None:
    timeline = timeline_of(Wire().call(1, "greet"))
    timeline.annotate(1, Annotation("red", "slow <b>"))
    messages = [ExportedMessage(entry, entry.data or b"") for entry in timeline]
    line = json.loads(exported(messages, "jsonl"))
    assert (line["mark"], line["comment"]) == ("red", "slow <b>")
    assert Record.from_wire(line).seq == 1
    assert "\n> ● red: slow <b>\n" in exported(messages, "md")
    assert "<b>● red: slow &lt;b&gt;</b></summary>" in exported(messages, "html")
    assert json.loads(exported(messages, "har"))["log"]["entries"][0]["comment"] == "#1 in s1 ● red: slow <b>"
