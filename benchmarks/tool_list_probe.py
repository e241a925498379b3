"""The child of the tool list benchmark: the real terminal with many tools, which are listed and searched."""

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual import events

from benchmarks.inspector_probe import ANSWERS, PAUSE_S
from server_core.records.tap import Record
from workbench.tui import app as app_module
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.offer_tree import OfferTree
from workbench.workspace.open_request import StartChoice
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


class Shop:
    """A fake link to a core with many tools."""

    def __init__(self, count: int) -> None:
        self.info = {"id": "bench", "role": "viewer", "mode": "catalog", "project": "bench"}
        self.closed = asyncio.Event()
        self.dropped = 0
        self.on_records: Callable[[], None] | None = None
        self._tools = [tool(number) for number in range(count)]
        self.is_full = False

    def drain(self, most: int) -> list[Record]:
        """Return no records."""
        return []

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Answer the requests of a workspace."""
        if method == "catalog/get" and self.is_full:
            return {**ANSWERS[method], "generation": 1, "tools": self._tools}
        return {"accounts": []} if method == "accounts/list" else ANSWERS[method]

    async def subscribe(self, after: int = 0) -> None:
        """Do nothing: there are no records."""

    async def open_session(self) -> Any:
        """Never called: the link has the role of a viewer."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close the link."""
        self.closed.set()


class ListProbe(WorkbenchApp):
    """The terminal, which records when it has painted."""

    # Textual searches for style sheets in the folder of the class that names them.
    CSS_PATH = [Path(app_module.__file__).parent / name for name in WorkbenchApp.CSS_PATH]

    def __init__(self, count: int, report: Path) -> None:
        self._count, self._report = count, report
        self._painted = asyncio.Event()
        # The number of rows and the search of the list when it was last painted.
        self._painted_list = (0, "")
        super().__init__(self._open_shop)

    async def _open_shop(self, wanted: StartChoice | None = None) -> Workspace:
        shop = Shop(self._count)
        workspace = Workspace(shop)
        await workspace.open()
        self.run_worker(self._measure(shop, workspace))
        return workspace

    def _display(self, screen: Any, renderable: Any) -> None:
        super()._display(screen, renderable)
        if trees := self.query(OfferTree):
            self._painted_list = (trees.first().line_count, trees.first().search_text)
        self._painted.set()

    async def _measure(self, shop: Shop, workspace: Workspace) -> None:
        while not self.query(OfferTree) or not self.query_one(OfferTree).line_count:
            await self._next_paint()
        tree = self.query_one(OfferTree)
        shop.is_full = True
        started = time.perf_counter()
        await workspace.core.refresh("catalog")
        while self._painted_list[0] < self._count:
            await self._next_paint()
        listed = (time.perf_counter() - started) * 1000
        while workspace.core.checks.is_running:
            await asyncio.sleep(PAUSE_S)
        await self.action_do("tools", "search")
        searched = [await self._type(tree, character) for character in QUERY]
        results = {"listed": listed, "searched": searched, "matches": tree.counts[0]}
        self._report.write_text(json.dumps(results), encoding="utf-8")
        self.exit(0)

    async def _next_paint(self) -> None:
        self._painted.clear()
        try:
            async with asyncio.timeout(PAUSE_S):
                await self._painted.wait()
        except TimeoutError:
            return  # Nothing to paint; the caller checks again.

    async def _type(self, tree: OfferTree, character: str) -> float:
        """Type a character of the search, and return the milliseconds until its matches are on the screen."""
        await asyncio.sleep(4 * PAUSE_S)
        before = tree.search_text
        started = time.perf_counter()
        self.post_message(events.Key(character, character))
        while self._painted_list[1] == before:
            await self._next_paint()
        return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    ListProbe(int(sys.argv[1]), Path(sys.argv[2])).run()
