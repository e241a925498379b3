"""Matches of a text in a document."""

from tests.tables import each_row
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.text_search import TextSearch, following

DOCUMENT = JsonDocument(b'{"name":"Ada","list":["ada",2]}')


@each_row(
    ("text", "lines"),
    [("ada", [1, 3]), ('"name": "A', [1]), ("[", [2]), ("x", []), ("", []), (".", []), ('",', [1, 3])],
)
def test_the_lines_with_matches_are_found_without_regard_to_case(text: str, lines: list[int]) -> None:
    assert TextSearch(text).lines(DOCUMENT) == lines


def test_the_matches_in_a_line_have_places() -> None:
    assert TextSearch("a").spans("Ada") == [(0, 1), (2, 3)]


def test_the_search_goes_around() -> None:
    places = [(0, 1), (0, 1), (0, 5)]
    assert [following(places, (0, line), 1) for line in (0, 1, 5)] == [0, 2, 0]
    assert [following(places, (0, line), -1) for line in (9, 5, 1)] == [2, 1, 2]
