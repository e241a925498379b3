"""The search of offers: what is searched, and which match is first."""

from tests.tables import each_row
from workbench.model.catalog import offers
from workbench.model.offer_search import search_offers

OFFERS = offers(
    {
        "tools": [
            {"name": "greet", "title": "Greet", "description": "Say hello."},
            {"name": "sweep", "description": "Clean up after a boom"},
            {"name": "boom_fatal"},
            {"name": "boom"},
            {"name": "EchoServer_SayHello"},
        ],
        "resources": [{"uri": "demo://menu", "name": "menu"}],
        "templates": [{"uriTemplate": "demo://dishes/{dish}", "name": "dish"}],
    }
)


def names(query: str) -> list[str]:
    return [match.offer.label for match in search_offers(OFFERS, query)]


@each_row(
    ("query", "labels"),
    [
        ("boom", ["boom", "boom_fatal", "sweep"]),
        ("bmf", ["boom_fatal"]),
        ("clean", ["sweep"]),
        ("hello", ["EchoServer_SayHello", "greet"]),
        ("say_hello", ["EchoServer_SayHello"]),
        ("greet hello", ["greet"]),
        ("greet menu", []),
        ("demo://", ["menu", "dish"]),
        ("menu", ["menu"]),
    ],
)
def test_the_best_match_is_first(query: str, labels: list[str]) -> None:
    assert names(query) == labels


@each_row("query", ["", " ", "_"])
def test_a_query_without_letters_matches_all(query: str) -> None:
    assert len(names(query)) == len(OFFERS)


def test_a_match_has_the_positions_of_its_label_only() -> None:
    by_name = {match.offer.name: match.positions for match in search_offers(OFFERS, "boom")}
    assert by_name["boom_fatal"] == {0, 1, 2, 3}
    assert by_name["sweep"] == frozenset()
