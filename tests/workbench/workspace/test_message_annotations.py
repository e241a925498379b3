"""Marks and comments on messages: shown, stored in the capture, and there again when it is opened."""

from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.records.capture.annotations import set_annotation
from tests.workbench.model.records import Wire, timeline_of
from tests.workbench.workspace.test_earlier_sessions import captured
from workbench.model.traffic.annotations import MAX_COMMENT, Annotation
from workbench.workspace import capture_index
from workbench.workspace.message_annotations import annotate
from workbench.workspace.opened_capture import OpenedCapture


async def opened(path: Path) -> OpenedCapture:
    capture = OpenedCapture(str(path))
    await capture.load(lambda: None)
    return capture


@pytest.mark.parametrize("least", [5, 20_000], ids=["from its index", "from its records"])
async def test_a_mark_and_a_comment_are_there_when_the_capture_is_opened_again(
    least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_index, "MIN_RECORDS", least)
    path = captured(100, 1, 2)
    first = await opened(path)
    await annotate(first.timeline, first.timeline[2], Annotation("red", "too slow"))
    await annotate(first.timeline, first.timeline[3], Annotation("blue"))
    await annotate(first.timeline, first.timeline[3], Annotation())
    again = await opened(path)
    assert dict(again.timeline.annotations) == {3: Annotation("red", "too slow")}
    assert again.timeline[2].annotation.text == "● red: too slow"


async def test_what_is_no_annotation_is_ignored() -> None:
    path = captured(100, 1)
    for seq, text in enumerate(
        ['{"mark": 5, "comment": []}', "[1]", "{oops", '{"mark": "pink", "comment": "a\\nb"}'], 1
    ):
        set_annotation(path, seq, text)
    set_annotation(path, 9, '{"comment": "%s"}' % ("x" * 10_000))
    capture = await opened(path)
    annotations = dict(capture.timeline.annotations)
    assert annotations == {4: Annotation("", "a b"), 9: Annotation("", "x" * MAX_COMMENT)}


async def test_without_a_capture_it_is_there_until_the_terminal_ends() -> None:
    timeline = timeline_of(Wire().call(1, "greet"))
    with pytest.raises(ConfigurationError, match="in no capture"):
        await annotate(timeline, timeline[0], Annotation("green"))
    assert timeline[0].annotation.mark == "green"
