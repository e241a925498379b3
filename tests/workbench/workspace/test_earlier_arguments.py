"""The arguments of earlier calls are proposed again, but no secrets."""

from typing import Any, cast

from workbench.model.catalog import Offer, OfferKind
from workbench.model.history import History
from workbench.workspace.runs import Runs


class Workspace:
    def __init__(self) -> None:
        self.history = History()


def test_the_arguments_of_earlier_calls_have_no_secrets() -> None:
    workspace = Workspace()
    properties = {"name": {"type": "string"}, "code": {"type": "string", "format": "password"}}
    definition = {"inputSchema": {"type": "object", "properties": properties}}
    workspace.history.start("greet", {"name": "Ada", "code": "1234"})
    runs = Runs(lambda: cast("Any", workspace), lambda: None)
    assert runs.earlier_arguments(Offer(OfferKind.TOOL, "greet", "greet", "", definition)) == [{"name": "Ada"}]
    assert runs.earlier_arguments(Offer(OfferKind.PROMPT, "greet", "greet", "", definition)) == []
