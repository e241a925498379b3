"""What the server offers besides tools."""

from pathlib import Path

from workbench.testing import SyncClient, assert_no_problems


def test_everything_that_is_written_can_be_served() -> None:
    assert_no_problems(Path(__file__).parents[1])


def test_the_menu_names_every_dish_with_its_price(mcp_client: SyncClient) -> None:
    assert "- quiche: 6.00" in mcp_client.read_resource("demo://menu").text


def test_a_dish_has_its_price(mcp_client: SyncClient) -> None:
    assert mcp_client.read_resource("demo://dishes/soup").json() == {"dish": "soup", "price": 4.5}


def test_an_occasion_is_completed_from_its_first_letters(mcp_client: SyncClient) -> None:
    assert mcp_client.complete("invitation", "occasion", "re") == ["retirement", "reunion"]
    assert mcp_client.complete("invitation", "occasion", "x") == []


def test_an_invitation_names_guest_and_occasion(mcp_client: SyncClient) -> None:
    text = mcp_client.get_prompt("invitation", guest="Ada", occasion="birthday").text
    assert "Ada" in text
    assert "birthday" in text
