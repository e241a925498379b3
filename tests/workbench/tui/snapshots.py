"""Pictures of one open terminal at every size that it is designed for, compared with those of the last accepted change.

The app is opened once and resized, which is much quicker than to open it once a size, and finds what only a resize
does wrong. Files, comparison and report are those of pytest-textual-snapshot.
"""

import asyncio
import inspect
import pickle
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from pytest_textual_snapshot import PseudoApp, PseudoConsole, node_to_report_path, normalize_svg
from rich.console import ConsoleDimensions
from syrupy.assertion import SnapshotAssertion
from syrupy.exceptions import SnapshotDoesNotExist
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.waiting import LIMIT, until

Sizes = tuple[tuple[int, int], ...]

SIZES: Sizes = ((60, 15), (80, 24), (120, 40), (170, 48), (240, 60))
STEADY_S = 0.5
"""The seconds without a change after which a screen that is not the expected one is taken as it is."""


@dataclass
class SnapSizes:
    """Compares the screen with its snapshots; the fixture fails at the end of the test when some were different."""

    snapshot: SnapshotAssertion
    node: pytest.Function
    different: list[str] = field(default_factory=list)

    async def __call__(self, pilot: Pilot[Any], state: str = "", sizes: Sizes = SIZES) -> None:
        """Compare the screen at each size, and return to the size that it had.

        Args:
            pilot: the pilot of the open app.
            state: the name of what is shown, in a test with several.
            sizes: columns and rows.
        """
        before = pilot.app.size
        for width, height in sizes:
            await resize(pilot, width, height)
            name = f"{state} {width}x{height}".lstrip()
            self._compare(name, await steady_picture(pilot, self._expected(name)))
        await resize(pilot, *before)

    async def reopened(
        self, pilot: Pilot[Any], state: str, open_dialog: Callable[[], Awaitable[None]], sizes: Sizes = SIZES
    ) -> None:
        """Open at each size what is placed when it opens, compare the screen, and close it."""
        before = pilot.app.size
        for width, height in sizes:
            await resize(pilot, width, height)
            await open_dialog()
            await self(pilot, state, ((width, height),))
            await pilot.press("escape")
            await until(lambda: not pilot.app.screen.is_modal)
        await resize(pilot, *before)

    def _expected(self, name: str) -> str | None:
        snapshot = self.snapshot
        try:
            data = snapshot.extension.read_snapshot(
                test_location=snapshot.test_location, index=name, session_id=str(id(snapshot.session))
            )
        except SnapshotDoesNotExist:
            return None
        return str(data)

    def _compare(self, name: str, picture: str) -> None:
        if not (is_same := self.snapshot(name=name) == picture):
            self.different.append(name)
        result = self.snapshot.executions[self.snapshot.num_executions - 1]
        path, line, test = self.node.reportinfo()
        row = (
            is_same,
            str(result.final_data),
            picture,
            PseudoApp(PseudoConsole(False, ConsoleDimensions(80, 24))),
            path,
            line,
            f"{test} {name}",
            inspect.getdoc(self.node.function) or "",
            "",
            result.final_data is not None,
        )
        report = node_to_report_path(self.node)
        report.with_name(f"{report.name} {name}").write_bytes(pickle.dumps(row))


async def resize(pilot: Pilot[Any], width: int, height: int) -> None:
    """Resize the terminal, and wait until the screens know: an app passes the event on after a moment."""
    await pilot.resize_terminal(width, height)
    await until(lambda: all(screen.size == (width, height) for screen in pilot.app.screen_stack))


async def steady_picture(pilot: Pilot[Any], expected: str | None = None) -> str:
    """Return the picture of the screen once it is the expected one, or has not changed for a moment."""
    app = pilot.app
    for screen in app.screen_stack:
        for editor in screen.query("Input, TextArea"):
            assert isinstance(editor, Input | TextArea)
            editor.cursor_blink = False
    picture, since = "", time.monotonic()
    async with asyncio.timeout(LIMIT):
        while picture != expected and time.monotonic() - since < STEADY_S:
            await pilot.wait_for_scheduled_animations()
            await pilot.pause()
            before, picture = picture, normalize_svg(app.export_screenshot(title=app.title, simplify=True))
            if picture != before:
                since = time.monotonic()
    return picture
