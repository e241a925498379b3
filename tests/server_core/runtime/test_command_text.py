"""Command lines and URLs of other servers are shown without credentials."""

from server_core.runtime.command_text import command_text, url_text
from tests.tables import each_row


@each_row(
    ("command", "shown"),
    [
        (("npx", "-y", "a server"), "npx -y 'a server'"),
        (("tea", "--api-key", "k-123"), "tea --api-key …"),
        (("tea", "--token=k-123", "hot"), "tea --token=… hot"),
        (("docker", "-e", "API_TOKEN=k-123", "-e", "GITHUB_PAT=k-123"), "docker -e API_TOKEN=… -e GITHUB_PAT=…"),
        (("npx", "mcp-remote", "https://ada:pw@tea.example/mcp?key=1", "--header", "Authorization: Bearer k"),
         "npx mcp-remote https://tea.example/mcp --header …"),
        (("curl", "-H", "X-Tea: k-123", "--header=X-Tea: k-123"), "curl -H … --header=…"),
        (("tea", "x-api-key: k-123"), "tea x-api-key: …"),
        (("npx", "tea", "--config", '{"apiKey": "k-123"}'), "npx tea --config …"),
        (("tea", "--db=postgres://ada:p@w@tea.example/db", "/tea"), "tea --db=postgres://tea.example/db /tea"),
    ],
)  # fmt: skip
def test_a_command_is_shown_without_credentials(command: tuple[str, ...], shown: str) -> None:
    assert command_text(command) == shown


def test_a_url_is_shown_without_credentials() -> None:
    assert url_text("https://ada:p@w@tea.example/mcp?key=1#part") == "https://tea.example/mcp"
    assert url_text("https://tea.example?key=a@b") == "https://tea.example"
