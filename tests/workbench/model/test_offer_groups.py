"""The groups of offers in a list, and their order."""

from typing import Any

from workbench.model.catalog import offers
from workbench.model.offer_groups import grouped


def tool(name: str, file: str = "", short_name: str = "") -> dict[str, Any]:
    return {"name": name, "short_name": short_name, "source": {"file": file, "line": 1} if file else None}


def titles(catalog: dict[str, Any], *, by_name: bool = False) -> list[tuple[str, list[str]]]:
    groups = grouped(offers(catalog), by_name=by_name)
    return [(group.title, [offer.label for offer in group.offers]) for group in groups]


def test_without_files_offers_are_grouped_by_kind() -> None:
    catalog = {
        "tools": [tool("b"), tool("a")],
        "resources": [{"uri": "x://1", "name": "menu"}],
        "templates": [{"uriTemplate": "x://{n}", "name": "dish"}],
        "prompts": [{"name": "invite"}],
    }
    assert titles(catalog) == [("Tools", ["b", "a"]), ("Resources", ["menu", "dish"]), ("Prompts", ["invite"])]


def test_tools_of_several_files_are_grouped_by_file() -> None:
    catalog = {
        "tools": [tool("b", "/p/tools/z.py"), tool("a", "/p/tools/z.py"), tool("c", "/p/tools/more/a.py"), tool("d")],
        "prompts": [{"name": "invite"}],
    }
    assert titles(catalog) == [("z.py", ["b", "a"]), ("more/a.py", ["c"]), ("Tools", ["d"]), ("Prompts", ["invite"])]
    assert titles(catalog, by_name=True) == [
        ("more/a.py", ["c"]),
        ("Tools", ["d"]),
        ("z.py", ["a", "b"]),
        ("Prompts", ["invite"]),
    ]


def test_a_tool_that_was_made_from_a_text_does_not_lengthen_the_titles_of_files() -> None:
    catalog = {"tools": [tool("a", "/p/tools/z.py"), tool("b", "/p/tools/y.py"), tool("c", "<string>")]}
    assert titles(catalog) == [("z.py", ["a"]), ("y.py", ["b"]), ("<string>", ["c"])]
    assert titles({"tools": [tool("a", "<string>"), tool("b", "<stdin>")]}) == [("<string>", ["a"]), ("<stdin>", ["b"])]


def test_tools_of_a_single_file_are_one_group() -> None:
    assert titles({"tools": [tool("a", "/p/server.py"), tool("b", "/p/server.py")]}) == [("Tools", ["a", "b"])]


def test_tools_of_several_toolkits_are_grouped_by_toolkit() -> None:
    catalog = {
        "tools": [
            tool("Math_Add", "/site/math/tools.py", "Add"),
            tool("Github_Star", "/site/github/tools.py", "Star"),
            tool("Math_Sqrt", "/site/math/more.py", "Sqrt"),
        ]
    }
    assert titles(catalog) == [("Math", ["Math_Add", "Math_Sqrt"]), ("Github", ["Github_Star"])]


def test_files_of_any_shape_can_be_shown() -> None:
    catalog = {"tools": [tool("a", "a.py"), tool("b", "/b.py"), {"name": "c", "source": {"file": 3}}, {"source": "x"}]}
    assert [title for title, _ in titles(catalog)] == ["a.py", "/b.py", "Tools"]
