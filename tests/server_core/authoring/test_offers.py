"""`app.tools`, `app.resources` and `app.prompts`: what an app offers, changed at any time and on any thread."""

import threading
from typing import Any

import pytest

from server_core import Context, MCPApp, ToolCatalog, prompt, resource, tool
from server_core.catalog.catalog import Catalog
from server_core.catalog.declarations import declaration_of
from server_core.execution.prompts_and_resources import get_prompt, read_resource
from server_core.types import Prompt, Resource, ResourceTemplate
from tests.tables import each_row

pytestmark = pytest.mark.promises("app")


def poem() -> str:
    """D."""
    return "poem"


def by_number(number: int) -> str:
    """D."""
    return f"Number {number}"


def offered(app: MCPApp) -> list[str]:
    """Return everything that the app offers to clients."""
    catalog, _ = app.build()
    return [
        *catalog.tools,
        *catalog.resources,
        *(template.uri_template for template in catalog.templates),
        *catalog.prompts,
    ]


def test_functions_are_added_with_the_same_arguments_as_the_decorators() -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(poem)
    app.tools.add(poem, name="second", timeout=3)
    app.resources.add(poem, uri="shop://goods")
    app.resources.add(by_number, uri="shop://goods/{number}", name="good")
    app.prompts.add(poem, name="letter")
    assert [tool.name for tool in app.tools.list()] == ["poem", "second"]
    fixed, template = app.resources.list()
    assert (fixed.uri, template.uri_template) == ("shop://goods", "shop://goods/{number}")
    assert [prompt.name for prompt in app.prompts.list()] == ["letter"]


def test_listed_entries_are_those_that_clients_get() -> None:
    app = MCPApp("shop")
    app.tools.add(by_number, execution={"taskSupport": "optional"})
    app.resources.add(poem, uri="shop://goods", mime_type="text/plain")
    (tool,) = app.tools.list()
    assert tool == app.build()[0].tools["Shop_ByNumber"].definition
    assert (tool.inputSchema["required"], tool.execution["taskSupport"]) == (["number"], "optional")
    (goods,) = app.resources.list()
    assert (goods.mimeType, goods["uri"]) == ("text/plain", "shop://goods")


def test_a_decorated_function_is_added_with_its_declaration() -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(tool(name="declared")(lambda: None))
    app.resources.add(resource("shop://goods")(lambda: ""))
    app.prompts.add(prompt(name="letter", description="D.")(lambda: ""))
    app.tools.add(prompt(name="letter")(lambda: None), name="added")
    assert offered(app) == ["declared", "added", "shop://goods", "letter"]


def test_a_removed_entry_is_not_offered_and_its_function_can_be_reused() -> None:
    app = MCPApp("shop", toolkit="")

    @app.tool
    def first() -> None:
        """D."""

    app.tools.add(poem)
    app.resources.add(lambda number: "", uri="shop://goods/{number}", name="good")
    app.prompts.add(lambda: "", name="letter")
    app.tools.remove("poem")
    app.resources.remove("shop://goods/{number}")
    app.prompts.remove("letter")
    assert offered(app) == ["first"]
    assert declaration_of(poem) is None


@each_row("kind", ["tools", "resources", "prompts"])
def test_only_existing_entries_can_be_removed(kind: str) -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(poem)
    with pytest.raises(ValueError, match=rf"shop has no {kind[:-1]} 'other'; see `list\(\)`"):
        getattr(app, kind).remove("other")
    assert offered(app) == ["poem"]


def test_two_entries_with_the_same_name_are_both_removed() -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(poem)
    app.tools.add(lambda: None, name="poem")
    app.tools.remove("poem")
    assert app.declarations == ()


def test_listeners_are_notified_of_each_change_and_of_nothing_else() -> None:
    app = MCPApp("shop", toolkit="")
    notifications: list[Any] = []
    app.listeners.append(lambda: notifications.append([declaration.key for declaration in app.declarations]))
    app.tools.add(poem)
    app.tools.remove("poem")
    app.withdraw(())
    assert notifications == [["poem"], []]


def test_no_change_is_lost_when_many_threads_make_them() -> None:
    app = MCPApp("shop", toolkit="")
    start = threading.Barrier(8)

    def change(number: int) -> None:
        start.wait()
        for count in range(50):
            app.tools.add(lambda: None, name=f"kept-{number}-{count}")
            app.tools.add(lambda: None, name=f"gone-{number}-{count}")
            app.tools.remove(f"gone-{number}-{count}")

    threads = [threading.Thread(target=change, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {declaration.key for declaration in app.declarations} == {
        f"kept-{number}-{count}" for number in range(8) for count in range(50)
    }


def test_options_for_add_override_those_of_the_decorator() -> None:
    app = MCPApp("shop", toolkit="")
    declared = tool(name="declared", timeout=3, requires_secrets=["A"])(lambda: None)
    app.add_tool(declared, name="other", requires_secrets=["B"])
    app.resources.add(resource("shop://goods", title="Goods")(lambda: ""), name="goods")
    (added,) = app.build()[0].tools.values()
    assert (added.name, added.timeout, added.secrets) == ("other", 3, ("B",))
    assert [(resource.uri, resource.name, resource.title) for resource in app.resources.list()] == [
        ("shop://goods", "goods", "Goods")
    ]


def test_an_unknown_option_for_a_decorated_function_is_reported() -> None:
    app = MCPApp("shop", toolkit="")
    unknown: dict[str, Any] = {"timout": 3}
    app.tools.add(tool(name="added", **{"titel": "T"})(lambda: None), **unknown)
    app.tools.add(tool(name="updated")(lambda: None))
    app.tools.update(app.declarations[1].function, **unknown)
    app.resources.add(resource("shop://goods")(lambda: ""), **unknown)
    app.prompts.add(prompt(name="letter", **unknown)(lambda: ""), **unknown)
    assert [problem.text for problem in app.build()[1] if problem.severity == "error"] == [
        "@tool has no argument 'titel'.",
        "@tool has no argument 'timout'.",
        "@tool has no argument 'timout'.",
        "@resource has no argument 'timout'.",
        "@prompt has no argument 'timout'.",
    ]


def test_an_update_replaces_the_entry_despite_concurrent_changes() -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(poem)

    class Interrupted:
        """Another thread changes the same tool while this one becomes it."""

        def __call__(self) -> str:
            return "interrupted"

        def __setattr__(self, name: str, value: Any) -> None:
            app.tools.update(lambda: "other", name="poem")

    app.tools.update(Interrupted(), name="poem")
    (declaration,) = app.declarations
    assert declaration.function() == "other"
    with pytest.raises(ValueError, match="has no tool 'two'"):
        app.tools.update(poem, name="two")
    assert app.declarations == (declaration,)


def test_an_update_replaces_the_entry_with_its_name() -> None:
    app = MCPApp("shop", toolkit="")
    for name in ("poem", "second", "third"):
        app.tools.add(lambda: None, name=name, desc="Old.")
    app.tools.update(poem, name="second", desc="New.")
    assert [(each.name, each.description) for each in app.tools.list()] == [
        ("poem", "Old."),
        ("second", "New."),
        ("third", "Old."),
    ]
    with pytest.raises(ValueError, match="shop has no tool 'fourth'"):
        app.tools.update(poem, name="fourth")
    assert [each.name for each in app.tools.list()] == ["poem", "second", "third"]


@each_row("key", ["buy_milk", "Shop_BuyMilk", "Shop.BuyMilk"])
def test_a_tool_is_removed_by_any_of_its_names(key: str) -> None:
    app = MCPApp("shop")
    app.tools.add(lambda: None, name="buy_milk")
    assert app.tools.remove(key).value.name == "buy_milk"
    assert app.declarations == ()


async def test_each_change_may_be_awaited_though_it_has_happened_already() -> None:
    app = MCPApp("shop", toolkit="")
    await app.tools.add(poem, name="awaited")
    await app.tools.update(poem, desc="D.")
    assert [each.name for each in await app.tools.list()] == ["awaited"]
    assert (await app.tools.remove("awaited")).name == "awaited"
    assert await app.tools.list() == ()


async def test_resources_are_added_in_their_wire_format_with_a_handler() -> None:
    app = MCPApp("shop")
    given = Resource(
        uri="shop://list", name="list", description="D", mimeType="text/plain", annotations={"priority": 1}
    )
    await app.resources.add(given, lambda: "milk")
    await app.resources.add(ResourceTemplate(uriTemplate="shop://{number}", name="aisle"), by_number)
    catalog, problems = app.build()
    assert not problems
    assert catalog.templates[0].definition == {"uriTemplate": "shop://{number}", "name": "aisle", "description": "D."}
    assert catalog.resources["shop://list"].definition == dict(given)
    assert (await read_resource(catalog, "shop://list", None))[0]["text"] == "milk"
    await app.resources.remove("shop://list")
    assert not app.build()[0].resources


async def test_a_resource_without_a_handler_is_listed_and_empty_and_a_problem() -> None:
    app = MCPApp("shop")
    await app.resources.add(Resource(uri="shop://list", name="list", description="D"))
    app.add_resource("ui://shop/page", title="The page", mime_type="text/html")
    catalog, problems = app.build()
    assert [resource.definition for resource in catalog.resources.values()] == [
        {"uri": "shop://list", "name": "list", "description": "D"},
        {"uri": "ui://shop/page", "name": "ui://shop/page", "title": "The page", "mimeType": "text/html"},
    ]
    assert [problem.severity for problem in problems] == ["warning", "warning"]
    assert problems[0].message == "Resource 'list': It has no handler, so its content is always empty."
    assert "resources.add(Resource(" in problems[0].source_line
    assert catalog.resources["ui://shop/page"].read.function() == ""


def test_a_template_has_to_have_a_handler_and_a_handler_to_be_a_function() -> None:
    app = MCPApp("shop")
    with pytest.raises(TypeError, match="A template needs a handler"):
        app.add_resource("shop://{number}")
    with pytest.raises(TypeError, match="added as a function, not as int"):
        app.add_resource("shop://list", handler=3)  # type: ignore[arg-type]


LETTER = Prompt(
    name="letter",
    description="A letter.",
    arguments=[{"name": "to", "description": "Whom to.", "required": True}, {"name": "tone"}],
)


async def messages(app: MCPApp, **arguments: str) -> Any:
    """The text of the letter."""
    catalog: Catalog = app.build()[0]
    return (await get_prompt(catalog, "letter", arguments, None))["messages"][0]["content"]["text"]


async def test_prompts_are_added_in_their_wire_format_with_a_handler_of_all_arguments() -> None:
    app = MCPApp("shop")
    await app.prompts.add(LETTER, lambda arguments: f"{arguments}")
    (listed,) = app.prompts.list()
    assert listed.arguments == [
        {"name": "to", "description": "Whom to.", "required": True},
        {"name": "tone", "required": False},
    ]
    assert listed.description == "A letter."
    assert await messages(app, to="Ada") == "{'to': 'Ada'}"
    assert await messages(app, to="Ada", tone="kind") == "{'to': 'Ada', 'tone': 'kind'}"
    assert (await app.prompts.remove("letter")).name == "letter"


async def test_a_handler_of_a_prompt_may_be_async_take_the_context_or_be_left_out() -> None:
    async def with_context(context: Context, arguments: dict[str, str]) -> str:
        return f"{type(context).__name__} {arguments['to']}"

    app = MCPApp("shop")
    app.add_prompt(LETTER, with_context)
    assert await messages(app, to="Ada") == "NoneType Ada"
    app.prompts.update(LETTER)
    assert await messages(app, to="Ada") == "A letter."


async def test_the_handler_of_a_prompt_without_arguments_may_take_the_empty_dict() -> None:
    app = MCPApp("shop")
    app.add_prompt(Prompt(name="letter"), lambda arguments: f"{arguments}")
    assert not app.build()[1]
    assert await messages(app) == "{}"
    (listed,) = app.prompts.list()
    assert listed.arguments == []


def test_a_parameter_with_a_type_still_has_to_be_among_the_arguments() -> None:
    def letter(to: str) -> str:
        return to

    app = MCPApp("shop")
    app.add_prompt(Prompt(name="letter"), letter)
    assert "The parameter 'to' has no default" in str(app.build()[1])


async def test_a_handler_of_a_prompt_may_have_parameters_of_its_own_with_defaults() -> None:
    app = MCPApp("shop")
    for number in range(2):

        async def letter(arguments: dict[str, str], number: int = number) -> str:
            return f"{number} {arguments['to']}"

        app.add_prompt(Prompt({**LETTER, "name": f"letter_{number}"}), letter)
        app.add_prompt(Prompt({**LETTER, "name": f"note_{number}"}), lambda texts, number=number: f"{number} {texts}")
    catalog, problems = app.build()
    assert not problems
    assert [len(prompt.arguments) for prompt in catalog.prompts.values()] == [2, 2, 2, 2]
    rendered = [await get_prompt(catalog, name, {"to": "Ada"}, None) for name in ("letter_1", "note_0")]
    assert [prompt["messages"][0]["content"]["text"] for prompt in rendered] == ["1 Ada", "0 {'to': 'Ada'}"]


def test_only_functions_are_accepted() -> None:
    app = MCPApp("shop")
    for offers in (app.tools, app.prompts, app.resources):
        with pytest.raises(TypeError, match="is added as a function, not as int"):
            offers.add(3)
    with pytest.raises(TypeError, match="A tool is added as a function"):
        app.tools.add(poem, poem)


def test_a_tool_of_a_catalog_stays_in_its_toolkit() -> None:
    catalog = ToolCatalog()
    catalog.add_tool(by_number, "other_kit")
    app = MCPApp("shop")
    app.tools.add(next(iter(catalog)))
    assert [each.name for each in app.tools.list()] == ["OtherKit_ByNumber"]
