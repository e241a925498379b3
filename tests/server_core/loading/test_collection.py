"""Declarations in loaded modules: which are served, and a problem for each that cannot be."""

import pytest

from tests.server_core.loading.projects import Folder, names, tool


def test_any_callable_passed_to_the_decorator_is_served(folder: Folder) -> None:
    folder.write(helpers="def imported(count: int) -> int:\n    'Count.'\n    return count\n")
    folder.write(
        a="""
        import functools
        from server_core import tool
        from helpers import imported

        def greet(greeting: str, name: str) -> str:
            \"\"\"Greet a guest.\"\"\"
            return f"{greeting}, {name}!"

        class Till:
            def sell(self, count: int) -> int:
                \"\"\"Sell some.\"\"\"
                return count

            def __call__(self, count: int) -> int:
                \"\"\"Count.\"\"\"
                return count

        welcome = tool(functools.partial(greet, "Hello"))
        tool(name="shout")(functools.partial(greet, greeting="HEY"))
        tool(Till().sell)
        tool(Till())
        count = tool(imported)
        """
    )
    generation = folder.open().load()
    tools = generation.catalog.tools
    assert {name: tool.description for name, tool in tools.items()} == {
        "greet": "Greet a guest.",
        "shout": "Greet a guest.",
        "sell": "Sell some.",
        "Till": "Count.",
        "imported": "Count.",
    }
    assert tools["greet"].function(**tools["greet"].bind({"name": "Ada"})) == "Hello, Ada!"
    assert tools["sell"].function(**tools["sell"].bind({"count": 3})) == 3
    assert not generation.problems
    assert list(folder.open().load().catalog.tools) == list(tools)


def test_the_last_declaration_of_a_function_is_served(folder: Folder) -> None:
    folder.write(
        a="""
        from server_core import MCPApp, tool

        app = MCPApp("shop")

        @tool(name="above")
        @tool(name="below")
        def first() -> None:
            \"\"\"Do it.\"\"\"

        @tool
        def second() -> None:
            \"\"\"Do it.\"\"\"

        app.add_tool(second)

        @tool
        def third() -> None:
            \"\"\"Do it.\"\"\"

        app.add_tool(third)
        app.tools.remove("third")
        """
    )
    generation = folder.open().load()
    assert (names(generation), generation.problems) == (["above", "Shop_Second"], ())


def test_a_method_that_is_declared_a_tool_is_a_problem(folder: Folder) -> None:
    folder.write(
        a="""
        from server_core import tool

        class Till:
            @tool
            def plain(self) -> int: ...

            @staticmethod
            @tool
            def static() -> int: ...

            @tool
            @staticmethod
            def outside() -> int: ...

        Alias = Till
        """
    )
    generation = folder.open().load()
    assert names(generation) == []
    assert [problem.message for problem in generation.problems] == [
        f"{name!r} is declared in the class 'Till', so it is not served." for name in ("plain", "static", "outside")
    ]


def test_a_tool_whose_name_is_rebound_is_reported(folder: Folder) -> None:
    folder.write(
        a="""
        from functools import wraps
        from server_core import MCPApp, tool

        def hiding(function):
            return lambda: function()

        def showing(function):
            return wraps(function)(lambda: function())

        @hiding
        @tool
        def hidden() -> str:
            "D."
            return ""

        @showing
        @tool
        def shown() -> str:
            "D."
            return ""

        @tool
        def replaced() -> str:
            "D."
            return ""

        @tool
        def withdrawn() -> str:
            "D."
            return ""

        @tool
        def owned() -> str:
            "D."
            return ""

        app = MCPApp("x", toolkit="")
        app.add_tool(owned, name="named")
        replaced = 3
        del withdrawn
        """
    )
    generation = folder.open().load()
    assert names(generation) == ["shown", "named"]
    assert [(problem.severity, problem.line) for problem in generation.problems] == [("error", 13), ("error", 24)]
    assert "'hidden' is declared, but its name refers to another object" in generation.problems[0].message
    assert "functools.wraps" in generation.problems[0].fix


def test_of_two_tools_with_the_same_name_in_a_file_the_first_is_served_and_both_positions_are_reported(
    folder: Folder,
) -> None:
    folder.write(
        a="""
        from server_core import prompt, tool

        @tool
        def f() -> str:
            "First."
            return "1"

        @tool
        def f() -> str:
            "Second."
            return "2"

        @prompt
        def f() -> str:
            "A prompt has names of its own."
            return "3"
        """
    )
    project = folder.open()
    for generation in (project.load(), project.reload([folder.path / "a.py"])):
        assert generation.catalog.tools["f"].description == "First."
        assert list(generation.catalog.prompts) == ["f"]
        (problem,) = generation.problems
        assert (problem.kind, problem.line) == ("TOOLKIT_LOAD_FAILED", 10)
        assert f"The first is at {folder.path}/a.py:5, and only the first is served." in problem.message


def test_proxy_objects_that_raise_keep_no_tool_from_being_served(folder: Folder) -> None:
    # As Flask's `request` and Django's `settings` are outside of an application.
    absent = """
        class Absent:
            __slots__ = ()

            @property
            def __class__(self):
                raise RuntimeError("Working outside of request context.")

            def __getattr__(self, name):
                raise RuntimeError("Working outside of request context.")

            def __eq__(self, other):
                raise RuntimeError("Working outside of request context.")

        request = Absent()
    """
    folder.write(absent=absent, tools=tool("greet", before="from absent import request"))
    generation = folder.open().load()
    assert names(generation) == ["greet"]
    assert not generation.problems


@pytest.mark.parametrize(
    "hostile",
    [
        """
        class Meta(type):
            def __getattribute__(owner, name):
                raise SystemExit(3)

        class Hostile(metaclass=Meta): ...
        """,
        """
        class Hostile:
            @property
            def __dict__(self):
                raise SystemExit(3)

        hostile = Hostile()
        """,
    ],
    ids=["a class", "an object"],
)
def test_objects_that_end_the_process_when_inspected_keep_no_tool_from_being_served(
    folder: Folder, hostile: str
) -> None:
    folder.write(tools=hostile, greet=tool("greet"))
    generation = folder.open().load()
    assert names(generation) == ["greet"]
    assert not generation.problems
