"""What the checks report about the current definitions: for the list of tools, and for the Problems screen."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from server_core.runtime.background import spawn

if TYPE_CHECKING:
    from workbench.model.lint import LintReport

MAX_TOOLS = 2000
"""The number of tools that are checked: more findings could not be read, and would delay the screen."""

# The time for each tool before the checks begin: they would slow down the first paint of a long list by a half.
_DELAY_S = 0.0005


class DefinitionChecks:
    """Checks each new catalog in the background; `on_change` is called when the report has changed."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self.report: LintReport | None = None  # None before the first
        self.is_running = False
        self._on_change = on_change
        self._newest: Mapping[str, Any] = {}

    def start(self, catalog: Mapping[str, Any]) -> None:
        """Begin to check a catalog, a response to `catalog/get`; a newer one replaces it."""
        self._newest = catalog
        if not self.is_running:
            self.is_running = True
            spawn(self._check_newest(), "check the definitions")

    async def _check_newest(self) -> None:
        """Check one catalog after the other, until the newest is checked: changes may arrive without a pause."""
        catalog, report = None, self.report
        try:
            while catalog is not self._newest:
                catalog = self._newest
                await asyncio.sleep(_DELAY_S * len(_checked_tools(catalog)))
                if catalog is self._newest:
                    report = await checked(catalog)
        finally:
            self.is_running = False
        self.report = report
        self._on_change()


async def checked(catalog: Mapping[str, Any]) -> "LintReport":
    """Check definitions; of the tools, the first :data:`MAX_TOOLS`."""
    # On a thread: thousands of definitions, or a large one, would block the screen.
    return await asyncio.to_thread(_lint, catalog)


def _lint(catalog: Mapping[str, Any]) -> "LintReport":
    # Imported late: the first screen needs no checks.
    from workbench.model.lint import lint

    return lint({**catalog, "tools": _checked_tools(catalog)})


def _checked_tools(catalog: Mapping[str, Any]) -> list[Any]:
    return (catalog.get("tools") or [])[:MAX_TOOLS]
