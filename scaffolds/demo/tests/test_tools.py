"""The tools, called as a client calls them: `mcp_client` serves this project in memory.

They stay plain functions as well: `test_functions.py` calls them as such.
"""

import pytest

from workbench.testing import SyncClient, ToolFailed


def test_a_greeting_names_the_guest(mcp_client: SyncClient) -> None:
    assert mcp_client.call("greet", name="Ada").text == "Hello, Ada!"
    assert mcp_client.call("greet", name="Ada", style="formal").text.startswith("Good day, Ada.")


def test_agents_get_the_list_of_styles(mcp_client: SyncClient) -> None:
    mcp_client.assert_schema("greet", {"properties": {"style": {"enum": ["plain", "warm", "formal"]}}})


def test_words_are_counted_whatever_their_case(mcp_client: SyncClient) -> None:
    count = mcp_client.call("count_words", text="Tea for two, and two for tea", top=2).structured
    assert (count["words"], count["different"]) == (7, 4)


def test_brewing_reports_every_cup(mcp_client: SyncClient) -> None:
    result = mcp_client.call("brew", cups=3, seconds_per_cup=0)
    assert result.text == "3 cups are ready."
    assert [(report.progress, report.total) for report in result.progress] == [(1, 3), (2, 3), (3, 3)]


def test_a_dish_that_is_sold_out_is_an_error_with_a_hint(mcp_client: SyncClient) -> None:
    with pytest.raises(ToolFailed, match="There is no cheesecake left") as failed:
        mcp_client.call("order_dish", dish="cheesecake")
    assert failed.value.can_retry
    assert "soup, quiche" in failed.value.result.hint


def test_a_booking_that_does_not_fit_never_reaches_the_tool(mcp_client: SyncClient) -> None:
    result = mcp_client.call_tool("book_table", {"day": "tomorrow"}, check=False)
    assert result.error_kind == "TOOL_RUNTIME_BAD_INPUT_VALUE"


def test_a_guest_who_accepts_gets_dessert(mcp_client: SyncClient) -> None:
    mcp_client.answers.elicit({"dessert": "sorbet", "spoons": 2}, message="Which dessert")
    assert mcp_client.call("choose_dessert").text == "One sorbet with 2 spoon(s)."


def test_a_guest_who_does_not_choose_gets_none(mcp_client: SyncClient) -> None:
    mcp_client.answers.decline()
    mcp_client.answers.cancel()
    assert [mcp_client.call("choose_dessert").text for _ in range(2)] == ["No dessert today."] * 2


def test_the_model_names_the_dish(mcp_client: SyncClient) -> None:
    mcp_client.answers.sample(" Green Cloud\n")
    assert mcp_client.call("name_dish", ingredients=["spinach"]).text == "On the menu today: Green Cloud"


def test_an_order_is_signed_and_never_reveals_the_key(
    mcp_client: SyncClient, workbench_secrets: dict[str, str]
) -> None:
    text = mcp_client.call("order_beans", kilos=5).text
    assert "beans:5kg" in text
    assert workbench_secrets["SUPPLIER_KEY"] not in text


def test_an_order_without_the_key_names_the_missing_secret(
    mcp_client: SyncClient, workbench_secrets: dict[str, str]
) -> None:
    workbench_secrets.clear()
    with pytest.raises(ToolFailed, match="SUPPLIER_KEY"):
        mcp_client.call("order_beans", kilos=5)
