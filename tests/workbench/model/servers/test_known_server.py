"""Servers as they are shown and searched."""

from tests.tables import each_row
from workbench.model.servers.known_server import KnownServer, search_servers


def test_no_value_is_part_of_the_text_of_a_server() -> None:
    server = KnownServer("tea", "Cursor", command=("tea", "--key=secret-1"), env={"A": "secret-2"})
    assert "secret" not in repr(server) + server.target


SERVERS = [
    KnownServer("teapot", "Cursor", command=("npx", "teapot")),
    KnownServer("kettle", "Zed", url="https://tea.example/mcp"),
    KnownServer("coffee", "Zed", command=("coffee",)),
]


@each_row(
    ("query", "names"),
    [
        ("", ["teapot", "kettle", "coffee"]),
        ("tpt", ["teapot"]),
        ("tea", ["teapot", "kettle"]),
        ("zed", ["kettle", "coffee"]),
        ("zed tea", ["kettle"]),
        ("milk", []),
    ],
)
def test_servers_are_searched_by_name_target_and_source(query: str, names: list[str]) -> None:
    assert [match.server.name for match in search_servers(SERVERS, query)] == names
