"""The child of the tool list benchmark: the real terminal with many tools, which are listed and searched."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from textual import events

from benchmarks.probe_terminal import ANSWERS, PAUSE_S, ProbeLink, ProbeTerminal
from workbench.tui.widgets.offer_tree import OfferTree
from workbench.workspace.workspace import Workspace

QUERY = "invoice12"
VERBS = ("find", "create", "update", "delete", "list")
NOUNS = ("invoice", "customer", "order", "ticket", "product", "message")


def tool(number: int) -> dict[str, Any]:
    """Return a definition of about a kilobyte."""
    noun = NOUNS[number % len(NOUNS)]
    properties = {
        name: {"type": "string", "description": f"The {name} of the {noun}, as it is shown to users."}
        for name in ("key", "name", "query", "language", "format")
    }
    return {
        "name": f"{VERBS[number % len(VERBS)]}_{noun}_{number}",
        "description": f"Work with a {noun} of the shop. " * 6,
        "inputSchema": {"type": "object", "properties": properties, "required": ["key"]},
        "source": {"file": f"/shop/tools/{noun}.py", "line": number},
        "secrets": [],
    }


class Shop(ProbeLink):
    """A link to a core with many tools, which has a single tool until it is full."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._tools = [tool(number) for number in range(count)]
        self.is_full = False

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method == "catalog/get" and self.is_full:
            return {**ANSWERS[method], "tools": self._tools}
        return await super().request(method, params)


class ListProbe(ProbeTerminal):
    """The terminal with many tools."""

    def __init__(self, count: int, report: Path) -> None:
        self._count, self._report = count, report
        self._shop = Shop(count)
        # The number of rows and the search of the list when it was last painted.
        self._painted_list = (0, "")
        super().__init__(self._shop)

    def seen(self) -> None:
        if trees := self.query(OfferTree):
            self._painted_list = (trees.first().line_count, trees.first().search_text)

    async def measure(self, workspace: Workspace) -> None:
        while not self.query(OfferTree) or not self.query_one(OfferTree).line_count:
            await self.next_paint()
        tree = self.query_one(OfferTree)
        self._shop.is_full = True
        started = time.perf_counter()
        await workspace.core.refresh("catalog")
        while self._painted_list[0] < self._count:
            await self.next_paint()
        listed = (time.perf_counter() - started) * 1000
        while workspace.core.checks.is_running:
            await asyncio.sleep(PAUSE_S)
        await self.action_do("tools", "search")
        searched = [await self._type(tree, character) for character in QUERY]
        results = {"listed": listed, "searched": searched, "matches": tree.counts[0]}
        self._report.write_text(json.dumps(results), encoding="utf-8")
        self.exit(0)

    async def _type(self, tree: OfferTree, character: str) -> float:
        """Type a character of the search, and return the milliseconds until its matches are on the screen."""
        await asyncio.sleep(4 * PAUSE_S)
        before = tree.search_text
        started = time.perf_counter()
        self.post_message(events.Key(character, character))
        while self._painted_list[1] == before:
            await self.next_paint()
        return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    ListProbe(int(sys.argv[1]), Path(sys.argv[2])).run()
