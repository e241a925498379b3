"""`app.tools`, `app.resources` and `app.prompts`: what an app offers, changed at any time and on any thread."""

import threading
from typing import Any

import pytest

from server_core import MCPApp, prompt, resource, tool


def one() -> str:
    """D."""
    return "one"


def offered(app: MCPApp) -> list[str]:
    """All that the app offers, as clients would be told."""
    catalog, _ = app.build()
    return [*catalog.tools, *catalog.resources, *(one.uri_template for one in catalog.templates), *catalog.prompts]


def test_functions_are_added_by_the_same_words_as_the_decorators_take() -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(one)
    app.tools.add(one, name="second", timeout=3)
    app.resources.add(one, uri="shop://goods")
    app.resources.add(lambda number: number, uri="shop://goods/{number}", name="good")
    app.prompts.add(one, name="letter")
    assert app.tools.list() == ("one", "second")
    assert app.resources.list() == ("shop://goods", "shop://goods/{number}")
    assert app.prompts.list() == ("letter",)


def test_what_a_decorator_has_declared_already_is_added_as_it_is_declared() -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(tool(name="declared")(lambda: None))
    app.resources.add(resource("shop://goods")(lambda: ""))
    app.prompts.add(prompt(name="letter", description="D.")(lambda: ""))
    app.tools.add(prompt(name="letter")(lambda: None), name="told")
    assert offered(app) == ["declared", "told", "shop://goods", "letter"]


def test_what_is_removed_is_offered_no_more_and_its_function_is_free() -> None:
    app = MCPApp("shop", toolkit="")

    @app.tool
    def first() -> None:
        """D."""

    app.tools.add(one)
    app.resources.add(lambda number: "", uri="shop://goods/{number}", name="good")
    app.prompts.add(lambda: "", name="letter")
    app.tools.remove("first")
    app.resources.remove("shop://goods/{number}")
    app.prompts.remove("letter")
    assert offered(app) == ["one"]
    assert not vars(first)


@pytest.mark.parametrize("kind", ["tools", "resources", "prompts"])
def test_only_what_is_there_can_be_removed(kind: str) -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(one)
    with pytest.raises(ValueError, match=rf"shop has no {kind[:-1]} 'other'; see `list\(\)`"):
        getattr(app, kind).remove("other")
    assert offered(app) == ["one"]


def test_both_of_two_with_one_name_are_removed() -> None:
    app = MCPApp("shop", toolkit="")
    app.tools.add(one)
    app.tools.add(lambda: None, name="one")
    app.tools.remove("one")
    assert app.tools.list() == ()


def test_who_listens_is_told_of_each_change_and_of_nothing_else() -> None:
    app = MCPApp("shop", toolkit="")
    told: list[Any] = []
    app.listeners.append(lambda: told.append(app.tools.list()))
    app.tools.add(one)
    app.tools.remove("one")
    app.withdraw(())
    assert told == [("one",), ()]


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
    assert set(app.tools.list()) == {f"kept-{number}-{count}" for number in range(8) for count in range(50)}
