"""The servers in the files of clients."""

import json
from typing import Any

from tests.tables import each_row
from workbench.model.servers.known_clients import CLIENTS, KnownClient
from workbench.model.servers.known_server import KnownServer
from workbench.model.servers.server_file import read_servers

VARIABLES = {"KEY": "k-123456", "HOME": "/home/ada"}


def client(name: str) -> KnownClient:
    return next(client for client in CLIENTS if client.name == name)


def read(document: Any, name: str = "Cursor", folder: str = "") -> list[KnownServer]:
    text = document if isinstance(document, str) else json.dumps(document, indent=2)
    return read_servers(text, client(name), "mcp.json", VARIABLES, folder)


def entry(**members: Any) -> KnownServer:
    (server,) = read({"mcpServers": {"tea": members}})
    return server


def test_an_entry_is_a_command_with_its_variables_and_folder_and_has_its_line() -> None:
    server = entry(command="npx", args=["-y", "tea"], env={"TOKEN": "${KEY}"}, cwd="${userHome}/tea")
    assert (server.name, server.source, server.place) == ("tea", "Cursor", "mcp.json:3")
    assert server.command == ("npx", "-y", "tea")
    assert server.env == {"TOKEN": "k-123456"}
    assert server.folder == "/home/ada/tea"
    assert not server.problem


@each_row("member", ["url", "serverUrl", "httpUrl"])
def test_an_entry_is_a_url_with_its_headers(member: str) -> None:
    server = entry(**{member: "https://tea.example/mcp"}, headers={"Authorization": "Bearer ${env:KEY}"})
    assert server.url == "https://tea.example/mcp"
    assert server.headers == {"Authorization": "Bearer k-123456"}


@each_row(
    ("name", "document"),
    [
        ("Claude Code", {"projects": {"/home/ada": {"mcpServers": {"tea": {"command": "tea"}}}}}),
        ("VS Code", {"servers": {"tea": {"command": "tea"}}}),
        ("VS Code", {"mcp": {"servers": {"tea": {"command": "tea"}}}}),
        ("Zed", {"context_servers": {"tea": {"command": "tea"}}}),
        ("Zed", {"context_servers": {"tea": {"command": {"path": "tea", "args": []}}}}),
        ("mcp.json", {"servers": {"tea": {"command": "tea"}}}),
    ],
)
def test_each_client_has_its_own_form(name: str, document: Any) -> None:
    assert [(server.name, server.command) for server in read(document, name)] == [("tea", ("tea",))]


def test_comments_and_trailing_commas_are_accepted_and_keep_the_lines() -> None:
    text = '{\n // the servers\n "mcpServers": { /* two\n lines */\n "tea": {"command": "//tea, }",},\n },\n}'
    (server,) = read(text)
    assert (server.command, server.line) == (("//tea, }",), 5)


@each_row(
    ("members", "problem"),
    [
        ({}, "It has neither a command nor a URL."),
        ({"command": 3}, "command is not a text."),
        ({"command": "tea", "args": "hot"}, "args is not a list of texts."),
        ({"command": "tea", "env": []}, "env is not an object."),
        ({"command": "tea", "args": ["${MILK}"]}, "The variable MILK is not set."),
        ({"command": "tea", "args": ["${input:key}"]}, "Only its client knows ${input:key}."),
        ({"command": "tea", "args": ["${workspaceFolder}/x"]}, "The variable workspaceFolder is not set."),
        ({"url": "tea.example"}, "Its URL does not begin with http:// or https://."),
    ],
)
def test_a_mistake_in_an_entry_is_its_problem(members: dict[str, Any], problem: str) -> None:
    assert entry(**members).problem == problem


def test_a_mistake_hides_no_other_entry() -> None:
    servers = read({"mcpServers": {"tea": "hot", "coffee": {"command": "coffee"}}})
    assert [(server.name, server.line, server.problem) for server in servers] == [
        ("tea", 3, "It is not an object."),
        ("coffee", 4, ""),
    ]


def test_a_variable_may_have_a_default_and_its_value_may_look_like_another() -> None:
    assert entry(command="${MILK:-oat}").command == ("oat",)
    text = json.dumps({"mcpServers": {"tea": {"command": "${PRICE}"}}})
    [server] = read_servers(text, CLIENTS[0], "file", {"PRICE": "${5}"})
    assert (server.command, server.problem) == (("${5}",), "")


@each_row("document", [[], 3, None, {"mcpServers": []}, {}, "", "  "])
def test_a_file_of_another_form_has_no_servers(document: Any) -> None:
    assert read(document) == []


def test_a_file_that_is_not_json_is_a_problem_with_its_line() -> None:
    (server,) = read('{\n"mcpServers": nothing\n}')
    assert (server.place, server.problem) == ("mcp.json:2", "This is no valid JSON: Expecting value")


def test_a_file_that_is_nested_deeply_is_a_problem() -> None:
    (server,) = read("[" * 100_000)
    assert "nested too deeply" in server.problem
