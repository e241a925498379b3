"""What tools are called, and which of them are not offered."""

from typing import Any

import pytest

from server_core import MCPApp, tool
from server_core.catalog.building.assembly import Assembler
from server_core.catalog.catalog import Catalog
from server_core.catalog.declarations import declaration_of
from server_core.catalog.naming import Naming, name_tool
from server_core.catalog.problems import Problem
from server_core.catalog.toolkit import Toolkit, pascal_case
from server_core.errors import ProtocolError
from server_core.settings import Settings
from tests.tables import each_row

pytestmark = pytest.mark.promises("tool names")


def test_names_take_the_case_of_classes() -> None:
    for name, pascal in (
        ("say_hello", "SayHello"),
        ("greet", "Greet"),
        ("probe_srv", "ProbeSrv"),
        ("MyCoolTool", "MyCoolTool"),
        ("my tool!", "My tool!"),
        ("getURL", "Geturl"),
        ("get_URL_2", "GetUrl2"),
        ("_private", "_Private"),
        ("data.fetch-utility", "Data.fetch-utility"),
        ("", ""),
    ):
        assert pascal_case(name) == pascal


def test_a_tool_has_a_wire_name_a_qualified_name_and_a_title() -> None:
    branding = Toolkit("server_branding", "1.0.0")
    named = name_tool("data.fetch-utility", "fetch", branding)
    assert named.wire == "ServerBranding_Data_fetch-utility"
    assert named.qualified == "ServerBranding.Data.fetch-utility"
    assert named.title == "data.fetch-utility"
    assert name_tool("", "add", Toolkit("my kit")).qualified == "MyKit.Add"
    assert name_tool("", "add", Toolkit("kit"), "::").qualified == "Kit::Add"
    assert name_tool("", "add", Toolkit("kit"), "::").wire == "Kit_Add"
    for nothing in (None, Toolkit("")):
        plain = name_tool("", "say_hello", nothing)
        assert (plain.wire, plain.qualified, plain.title) == ("say_hello", "", None)


def catalog_of(app: MCPApp, **rules: Any) -> tuple[Catalog, tuple[Problem, ...]]:
    """What the app offers under these rules."""
    return Assembler(Naming(**rules)).assemble(app.declarations)


def shop(**options: Any) -> MCPApp:
    """An app with two tools, a resource and a prompt."""
    app = MCPApp("corner_shop", "1.2.3", **options)
    for name in ("buy_milk", "sell2"):
        app.tool(name=name, desc="D.")(lambda: None)
    app.resource("shop://goods", name="goods")(lambda: "")
    app.prompt(name="haggle")(lambda: "")
    return app


def test_the_tools_of_an_app_are_named_after_it_and_nothing_else_is() -> None:
    catalog, _ = catalog_of(shop())
    assert list(catalog.tools) == ["CornerShop_BuyMilk", "CornerShop_Sell2"]
    assert [tool.definition["title"] for tool in catalog.tools.values()] == ["buy_milk", "sell2"]
    assert list(catalog.resources) == ["shop://goods"]
    assert list(catalog.prompts) == ["haggle"]
    assert list(catalog_of(shop(toolkit="kiosk"))[0].tools) == ["Kiosk_BuyMilk", "Kiosk_Sell2"]
    assert list(catalog_of(shop(toolkit=""))[0].tools) == ["buy_milk", "sell2"]


def test_a_title_is_the_authors_or_the_name_of_the_function() -> None:
    app = MCPApp("shop")

    @app.tool
    def buy_milk() -> None:
        """D."""

    @app.tool(title="Sell!")
    def sell() -> None:
        """D."""

    catalog, _ = catalog_of(app)
    assert [tool.title for tool in catalog.tools.values()] == ["BuyMilk", "Sell!"]


def test_tools_that_belong_to_no_app_keep_their_names_unless_a_toolkit_is_given() -> None:
    @tool
    def greet() -> None:
        """D."""

    declaration = declaration_of(greet)
    assert declaration is not None
    assert list(Assembler().assemble([declaration])[0].tools) == ["greet"]
    named = Assembler(Naming(Toolkit("my_kit"))).assemble([declaration])[0]
    assert list(named.tools) == ["MyKit_Greet"]
    app = shop(toolkit="")
    assert list(catalog_of(app, toolkit=Toolkit("my_kit"))[0].tools) == ["buy_milk", "sell2"]


@each_row("name", ["CornerShop_BuyMilk", "CornerShop.BuyMilk", "CornerShop.BuyMilk@1.2.3"])
def test_a_tool_is_returned_by_each_of_its_names(name: str) -> None:
    catalog, _ = catalog_of(shop())
    assert catalog.find_tool(name).name == "CornerShop_BuyMilk"
    assert catalog.tool(name) is catalog.find_tool(name)


@each_row("name", ["cornershop_buymilk", "CornerShop.BuyMilk@2.0.0", "buy_milk", "CornerShop::BuyMilk"])
def test_other_names_are_unknown_and_a_similar_name_is_suggested(name: str) -> None:
    catalog, _ = catalog_of(shop())
    assert catalog.tool(name) is None
    with pytest.raises(ProtocolError, match=r"Unknown tool: .*; did you mean 'CornerShop_BuyMilk'\?|ask tools/list"):
        catalog.find_tool(name)


def test_the_separator_of_qualified_names_can_be_another() -> None:
    catalog, _ = catalog_of(shop(), separator="::")
    assert catalog.find_tool("CornerShop::BuyMilk").qualified_name == "CornerShop::BuyMilk"
    assert list(catalog.tools) == ["CornerShop_BuyMilk", "CornerShop_Sell2"]


@each_row("entry", ["CornerShop.Sell2", "cornershop.sell2", "CORNERSHOP_SELL2"])
def test_a_disabled_tool_is_not_offered_with_any_case_and_digits_of_its_name(entry: str) -> None:
    catalog, problems = catalog_of(shop(), disabled_tools=[entry])
    assert list(catalog.tools) == ["CornerShop_BuyMilk"]
    assert not problems


@each_row("entry", ["corner_shop", "CornerShop", "cornershop"])
def test_the_tools_of_a_disabled_toolkit_are_not_offered(entry: str) -> None:
    catalog, problems = catalog_of(shop(), disabled_toolkits=[entry])
    assert list(catalog.tools) == []
    assert list(catalog.resources) == ["shop://goods"]
    assert not problems


def test_a_plain_tool_is_disabled_by_its_name() -> None:
    catalog, problems = catalog_of(shop(toolkit=""), disabled_tools=["SELL2"])
    assert list(catalog.tools) == ["buy_milk"]
    assert not problems


def test_an_entry_that_disables_nothing_is_reported_with_a_suggestion() -> None:
    rules = {"disabled_tools": ["CornerShop.BuyMilks", "x"], "disabled_toolkits": ["cornershops", ""]}
    catalog, problems = catalog_of(shop(), **rules)
    assert len(catalog.tools) == 2
    assert [problem.severity for problem in problems] == ["warning"] * 4
    assert "ARCADE_DISABLED_TOOLS names the tool 'CornerShop.BuyMilks', which does not exist" in problems[0].message
    assert "'CornerShop.BuyMilk'" in problems[0].fix
    assert problems[1].fix == "Correct the entry, or remove it."
    assert "ARCADE_DISABLED_TOOLKITS names the toolkit 'cornershops'" in problems[2].message
    assert "'CornerShop'" in problems[2].fix


def test_naming_is_configured_by_the_environment() -> None:
    settings = Settings.from_environment(
        {
            "ARCADE_TOOL_NAME_SEPARATOR": "::",
            "ARCADE_DISABLED_TOOLS": " A::B ,, C_D,A::B",
            "ARCADE_DISABLED_TOOLKITS": "e",
        }
    )
    assert Naming.from_settings(settings) == Naming(None, "::", ("A::B", "C_D"), ("e",))
    assert Naming.from_settings(Settings()) == Naming()


def test_two_tools_with_the_same_name_are_reported_with_both_positions() -> None:
    app = MCPApp("tk")
    app.tool(name="ok", desc="D.")(lambda: None)
    app.tool(name="Ok", desc="D.")(lambda: None)
    catalog, (problem,) = catalog_of(app)
    assert list(catalog.tools) == ["Tk_Ok"]
    assert problem.message.startswith("Tool 'Ok' in server 'tk' already exists in the catalog. The first is at ")
    assert problem.kind == "TOOLKIT_LOAD_FAILED"
    assert problem.file == __file__
    assert __file__ in problem.message


def test_a_disabled_tool_clashes_with_nothing_and_its_problems_are_ignored() -> None:
    app = MCPApp("tk")
    app.tool(name="ok", desc="D.")(lambda missing_type: None)
    catalog, problems = catalog_of(app, disabled_tools=["Tk.Ok"])
    assert not catalog.tools
    assert not problems
