"""Servers as they are shown and searched."""

import pytest

from workbench.model.servers.known_server import KnownServer, search_servers, shown_command, shown_url


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("npx", "-y", "a server"), "npx -y 'a server'"),
        (("tea", "--api-key", "k-123"), "tea --api-key …"),
        (("tea", "--token=k-123", "hot"), "tea --token=… hot"),
        (("tea", "API_TOKEN=k-123"), "tea API_TOKEN=…"),
        (("npx", "mcp-remote", "https://ada:pw@tea.example/mcp?key=1", "--header", "Authorization: Bearer k"),
         "npx mcp-remote https://tea.example/mcp --header …"),
    ],
)  # fmt: skip
def test_a_command_is_shown_without_credentials(command: tuple[str, ...], shown: str) -> None:
    assert shown_command(command) == shown


def test_a_url_is_shown_without_credentials() -> None:
    assert shown_url("https://ada:pw@tea.example/mcp?key=1#part") == "https://tea.example/mcp"


def test_no_value_is_part_of_the_text_of_a_server() -> None:
    server = KnownServer("tea", "Cursor", command=("tea", "--key=secret-1"), env={"A": "secret-2"})
    assert "secret" not in repr(server) + server.target


SERVERS = [
    KnownServer("teapot", "Cursor", command=("npx", "teapot")),
    KnownServer("kettle", "Zed", url="https://tea.example/mcp"),
    KnownServer("coffee", "Zed", command=("coffee",)),
]


@pytest.mark.parametrize(
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
