"""The options of decorators for a type checker: `make check` reports an `ignore` here that is not needed."""

from collections.abc import Callable
from typing import assert_type

from server_core import MCPApp, prompt, resource, tool
from tests.tables import each_row


def greet(name: str) -> str:
    """Greet."""
    return f"Hello, {name}!"


def test_a_decorated_function_keeps_its_type() -> None:
    app = MCPApp()
    assert_type(tool(greet)("Ada"), str)
    assert_type(tool(timeout=3)(greet)("Ada"), str)
    assert_type(app.tool(timeout=3)(greet)("Ada"), str)
    assert_type(app.prompt(title="Greeting")(greet)("Ada"), str)
    assert_type(app.resource("greeting://{name}", size=7)(greet)("Ada"), str)
    assert_type(app.add_tool(greet, "Greet.", timeout=3)("Ada"), str)


def misspelt_tool(app: MCPApp) -> None:
    app.tool(timout=3)(lambda: None)  # type: ignore[call-overload]
    app.add_tool(lambda: None, timout=3)  # type: ignore[call-arg]
    app.tools.add(lambda: None, timout=3)  # type: ignore[call-arg]


def misspelt_resource(app: MCPApp) -> None:
    app.resource("greeting://all", sice=7)(lambda: None)  # type: ignore[call-arg]
    app.add_resource("greeting://all", handler=lambda: None, sice=7)  # type: ignore[call-arg]
    app.resources.add(lambda: None, uri="greeting://all", sice=7)  # type: ignore[call-arg]


def misspelt_prompt(app: MCPApp) -> None:
    app.prompt(titel="Greeting")(lambda: None)  # type: ignore[call-overload]
    app.add_prompt(lambda: None, titel="Greeting")  # type: ignore[call-arg]
    app.prompts.add(lambda: None, titel="Greeting")  # type: ignore[call-arg]


@each_row("declare", [misspelt_tool, misspelt_resource, misspelt_prompt])
def test_a_misspelt_option_is_reported_when_it_is_not_checked_before(declare: Callable[[MCPApp], None]) -> None:
    app = MCPApp()
    declare(app)
    problems = app.build()[1]
    misspelt = [problem for problem in problems if "has no argument" in problem.message]
    assert [problem.fix.split()[0] for problem in misspelt] == ["Write"] * 3


def test_the_types_of_options_are_checked() -> None:
    tool(timeout="3")  # type: ignore[call-overload]
    resource("greeting://all", mime_type=3)  # type: ignore[arg-type]
    prompt(arguments="name")  # type: ignore[arg-type]
