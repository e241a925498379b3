"""Which offer has taken the place of one that is gone."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.catalog import Offer, offers
from workbench.model.definitions.renaming import renamed_offer

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def tool(name: str, file: str = "a.py", **properties: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}, "source": {"file": file}}


def listed(*tools: dict[str, Any]) -> list[Offer]:
    return list(offers({"tools": list(tools)}))


PRICE = tool("price", item=TEXT, count=NUMBER)
OTHER = tool("other", item=TEXT)


@each_row(
    "after, name",
    [
        pytest.param([tool("cost", item=TEXT, count=NUMBER), OTHER], "cost", id="the same schema"),
        pytest.param([tool("cost", item=TEXT, count=NUMBER, day=TEXT), OTHER], "cost", id="one more parameter"),
        pytest.param([tool("cost", item=TEXT, count=TEXT), OTHER], "cost", id="one parameter of another type"),
        pytest.param([tool("cost", item=TEXT, number=NUMBER), OTHER], None, id="a renamed parameter too"),
        pytest.param([tool("cost", "b.py", item=TEXT, count=NUMBER), OTHER], None, id="another file"),
        pytest.param(
            [tool("cost", item=TEXT, count=NUMBER), tool("rate", item=TEXT, count=NUMBER), OTHER],
            None,
            id="two new tools",
        ),
        pytest.param([tool("cost", item=TEXT, count=NUMBER)], None, id="another tool lost as well"),
        pytest.param([OTHER], None, id="no new tool"),
    ],
)
def test_a_tool_is_renamed_if_its_file_has_lost_one_and_gained_one_with_nearly_its_parameters(
    after: list[dict[str, Any]], name: str | None
) -> None:
    before = listed(PRICE, OTHER)
    renamed = renamed_offer(before[0], before, listed(*after))
    assert (None if renamed is None else renamed.name) == name
