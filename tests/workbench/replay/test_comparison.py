"""Two captures are compared call by call."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Tap
from tests.workbench.replay.conversation import Conversation
from tests.workbench.replay.playing import greeting
from workbench.replay.captured_calls import read_calls
from workbench.replay.comparison import CallComparison, CallVerdict, changes_in, compare, places_of

_numbers = itertools.count()


def stored(talk: Conversation) -> Path:
    """Return the path of a new capture with the records of a conversation."""
    tap = Tap()
    store = CaptureStore(tap, core_id=f"c{next(_numbers)}", project="demo", server="1.0", started=0.0)
    for record in talk.records:
        tap.emit(record.kind, record.data, session=record.session, direction=record.direction, call=record.call)
    store.start()
    store.close()
    assert store.path is not None
    return store.path


def greets(*names: str, text: str = "Hello") -> Conversation:
    """A session that greets each of these names."""
    talk = Conversation()
    talk.handshake()
    for id, name in enumerate(names, start=1):
        talk.client_asks(id, "tools/call", name="greet", arguments={"name": name}, _meta={"progressToken": id})
        talk.server_answers(id, **greeting(f"{text}, {name}!"))
    return talk


def compared(first: Conversation, second: Conversation, **options: Any) -> CallComparison:
    return compare(stored(first), stored(second), **options)


def rows(comparison: CallComparison) -> list[tuple[str, CallVerdict]]:
    return [(call.call.arguments, call.verdict) for call in comparison.calls]


def test_equal_conversations_do_not_differ() -> None:
    comparison = compared(greets("Ada", "Bob"), greets("Ada", "Bob"))
    assert rows(comparison) == [('name="Ada"', CallVerdict.SAME), ('name="Bob"', CallVerdict.SAME)]
    assert not comparison.differs


def test_calls_match_by_their_arguments_whatever_their_ids_and_places_are() -> None:
    comparison = compared(greets("Ada", "Bob", "Ada"), greets("Cleo", "Ada", "Dan", "Ada", "Eve"))
    assert rows(comparison) == [
        ('name="Cleo"', CallVerdict.ONLY_SECOND),
        ('name="Ada"', CallVerdict.SAME),
        ('name="Bob"', CallVerdict.ONLY_FIRST),
        ('name="Dan"', CallVerdict.ONLY_SECOND),
        ('name="Ada"', CallVerdict.SAME),
        ('name="Eve"', CallVerdict.ONLY_SECOND),
    ]
    assert [(call.first is None, call.second is None) for call in comparison.calls[:3]] == [
        (True, False),
        (False, False),
        (False, True),
    ]


def test_answers_that_differ_have_their_places() -> None:
    comparison = compared(greets("Ada", text="Hello"), greets("Ada", text="Hi"))
    (call,) = comparison.calls
    assert (call.verdict, call.places) == (CallVerdict.DIFFERS, 1)
    (place,) = places_of(comparison, call)
    (change,) = changes_in(place)
    assert (change.path, change.before, change.after) == (
        "$.result.content[0].text",
        '"Hello, Ada!"',
        '"Hi, Ada!"',
    )
    ((described,), notes) = comparison.to_json()["calls"], comparison.notes
    assert notes == []
    assert described["verdict"] == "differs"
    assert described["first"]["seq"] == described["second"]["seq"] == 4
    assert described["differences"] == [
        {"path": "$.result.content[0].text", "first": "Hello, Ada!", "second": "Hi, Ada!"}
    ]


def test_json_in_a_text_is_compared_by_its_members_and_a_long_text_by_its_lines() -> None:
    before, after = Conversation(), Conversation()
    for talk, price, line in ((before, 2, "tea"), (after, 3, "cake")):
        talk.client_asks(1, "tools/call", name="a")
        talk.server_answers(1, **greeting(f'{{"price": {price}, "name": "tea"}}'))
        talk.client_asks(2, "tools/call", name="b")
        talk.server_answers(2, **greeting(f"menu\n{line}\nend"))
    comparison = compared(before, after)
    paths = [
        change.path
        for call in comparison.calls
        for place in places_of(comparison, call)
        for change in changes_in(place)
    ]
    assert paths == ["$.result.content[0].text.price", "$.result.content[0].text:2"]


def test_times_and_ids_that_are_new_each_time_are_no_difference() -> None:
    before, after = Conversation(), Conversation()
    for talk, time in ((before, 1), (after, 2)):
        talk.client_asks(1, "tools/call", name="a")
        talk.server_answers(1, **greeting("x"), _meta={"startTime": time})
    assert not compared(before, after).differs


def test_an_error_and_an_answer_that_is_missing_are_differences() -> None:
    good, failed, silent = Conversation(), Conversation(), Conversation()
    for talk in (good, failed, silent):
        talk.client_asks(1, "tools/call", name="a")
    good.server_answers(1, **greeting("x"))
    failed.server_fails(1, -32000, "no")
    for first, second in ((good, failed), (good, silent), (silent, failed)):
        comparison = compared(first, second)
        (call,) = comparison.calls
        assert call.verdict is CallVerdict.DIFFERS
        assert places_of(comparison, call)
    (call,) = compared(silent, silent).calls
    assert call.verdict is CallVerdict.SAME
    assert call.call.seconds is None


def test_what_clients_request_by_themselves_is_compared_on_request() -> None:
    assert [call.call.method for call in compared(greets("Ada"), greets("Ada"), has_all=True).calls] == [
        "initialize",
        "tools/call",
    ]


def test_an_edited_call_is_compared_as_it_was_delivered() -> None:
    held = Conversation()
    held.client_asks(1, "tools/call", name="greet", arguments={"name": "Eve"})
    held.client_asks(1, "tools/call", name="greet", arguments={"name": "Ada"})
    held.records[1] = held.records[1]._replace(call="1@1")
    held.happens("message_edited", message=1, passed=[2])
    held.server_answers(1, **greeting("Hello, Ada!"))
    assert rows(compared(held, greets("Ada"))) == [('name="Ada"', CallVerdict.SAME)]


def test_a_comparison_that_is_stopped_ends_early() -> None:
    path = stored(greets(*map(str, range(100))))
    assert read_calls(path, stopped=lambda: True).calls == []
    assert len(read_calls(path).calls) == 100


@pytest.mark.parametrize("order", [1, -1])
def test_a_capture_without_calls_is_compared_as_well(order: int) -> None:
    first, second = [greets("Ada"), greets()][::order]
    comparison = compared(first, second)
    assert [call.verdict for call in comparison.calls] == [
        CallVerdict.ONLY_FIRST if order == 1 else CallVerdict.ONLY_SECOND
    ]
