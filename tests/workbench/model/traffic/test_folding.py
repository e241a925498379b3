"""Lines that are hidden, and those that are left."""

import json

from workbench.model.traffic.folding import LONG, LONG_TEXT, SHOWN_OF_TEXT, Folding
from workbench.model.traffic.json_document import JsonDocument


def document(value: object) -> JsonDocument:
    return JsonDocument(json.dumps(value).encode())


def shown(folding: Folding, document: JsonDocument) -> list[str]:
    return [document.plain_line(folding.line_at(position)).strip() for position in range(folding.count)]


def test_an_object_folds_to_its_first_line_and_unfolds() -> None:
    tree = document({"a": {"b": 1}, "c": 2})
    folding = Folding(tree)
    assert folding.toggle(1) == 1
    assert shown(folding, tree) == ["{", '"a": {', '"c": 2', "}"]
    assert folding.toggle(1) == 1
    assert folding.count == tree.line_count


def test_the_closing_bracket_folds_the_same_object() -> None:
    folding = Folding(document({"a": {"b": 1}, "c": 2}))
    assert folding.toggle(3) == 1
    assert folding.is_folded(1)


def test_a_lone_value_does_not_fold() -> None:
    folding = Folding(document({"a": 1}))
    assert folding.toggle(1) is None
    assert not folding.can_fold(1)


def test_all_folds_what_is_inside_and_unfolds_it_again() -> None:
    tree = document({"a": {"b": {"c": 1}}, "d": [1]})
    folding = Folding(tree)
    folding.toggle_all()
    assert shown(folding, tree) == ["{", '"a": {', '"d": [', "}"]
    folding.toggle_all()
    assert folding.count == tree.line_count


def test_a_hidden_line_is_revealed() -> None:
    tree = document({"a": {"b": {"c": 1}}, "d": [1]})
    folding = Folding(tree)
    folding.toggle(2)
    folding.toggle(1)
    assert not folding.is_shown(3)
    assert folding.line_at(folding.position_of(3)) == 1
    folding.reveal(3)
    assert folding.is_shown(3)


def test_a_long_document_begins_folded_and_short() -> None:
    folding = Folding(document([{"n": number, "more": {"a": [1, 2, 3]}} for number in range(LONG // 4)]))
    assert 250 <= folding.count <= LONG


def test_a_long_flat_list_is_not_hidden() -> None:
    assert Folding(document(list(range(5000)))).count == 5002


def test_a_deep_document_does_not_recurse() -> None:
    tree = JsonDocument(b'{"a":' * 300 + b"1" + b"}" * 300)
    folding = Folding(tree)
    folding.toggle_all()
    assert folding.count == 3
    folding.reveal(300)
    assert folding.is_shown(300)


def test_the_end_of_a_long_text_begins_folded_and_unfolds() -> None:
    text = JsonDocument("\n".join(f"line {number}" for number in range(LONG_TEXT + 1)).encode())
    folding = Folding(text)
    assert folding.count == SHOWN_OF_TEXT + 1
    assert folding.toggle(3) is None
    assert folding.toggle(SHOWN_OF_TEXT) == SHOWN_OF_TEXT
    assert folding.count == text.line_count
    folding.toggle_all()
    folding.reveal(SHOWN_OF_TEXT)
    assert folding.count == text.line_count


def test_a_short_text_is_not_folded() -> None:
    text = JsonDocument(b"line\n" * LONG_TEXT)
    assert Folding(text).count == LONG_TEXT


def test_the_metadata_of_a_message_begins_folded_and_what_the_author_named_so_does_not() -> None:
    meta = {"a": 1, "b": 2, "c": 3}
    tree = document({"params": {"arguments": {"_meta": meta}, "_meta": meta}, "_meta": '"_meta"'})
    folding = Folding(tree, is_message=True)
    assert folding.count == tree.line_count - 4
    assert [line for line in range(tree.line_count) if folding.is_folded(line)] == [9]
    folding.toggle(9)
    assert folding.count == tree.line_count
    assert Folding(tree).count == tree.line_count


def test_short_metadata_such_as_a_progress_token_is_not_folded() -> None:
    tree = document({"params": {"name": "greet", "_meta": {"progressToken": 1}}})
    assert Folding(tree, is_message=True).count == tree.line_count
