"""The tools, called as a client calls them: `mcp_client` serves this project in memory."""

from pathlib import Path

from workbench.testing import SyncClient, assert_no_problems


def test_everything_that_is_written_can_be_served() -> None:
    assert_no_problems(Path(__file__).parents[1])


def test_a_greeting_names_the_guest(mcp_client: SyncClient) -> None:
    assert mcp_client.call("greet", name="Ada").text == "Hello, Ada!"
