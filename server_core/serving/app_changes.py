"""Detect changes of apps while they are served. A change may happen on any thread; it is reported on the event loop."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp


class AppChanges:
    """The changes of the apps that are served; `on_changed` is called at once, `on_updated` with a URI."""

    def __init__(self, on_changed: Callable[[], None], on_updated: Callable[[str], None]) -> None:
        self._on_changed = on_changed
        self._on_updated = on_updated
        self._apps: tuple[DeclaredApp, ...] = ()
        self._pending = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def follow(self, apps: "tuple[DeclaredApp, ...]") -> None:
        """Watch these apps from now on, and no others."""
        self._loop = asyncio.get_running_loop()
        for app in self._apps:
            app.listeners.remove(self._report_change)
            app.update_listeners.remove(self._report_update)
        for app in apps:
            app.listeners.append(self._report_change)
            app.update_listeners.append(self._report_update)
        if set(apps) - set(self._apps):
            # Changes between their load and now were not reported.
            self._pending.set()
        self._apps = apps

    @property
    def is_pending(self) -> bool:
        """Whether there may have been a change since the last :meth:`wait`."""
        return self._pending.is_set()

    async def wait(self) -> None:
        """Wait until there may have been a change since the last call."""
        await self._pending.wait()
        self._pending.clear()

    def _report_change(self) -> None:
        assert self._loop is not None
        if _running_loop() is self._loop:
            self._changed()
        else:
            self._loop.call_soon_threadsafe(self._changed)

    def _changed(self) -> None:
        self._pending.set()
        self._on_changed()

    def _report_update(self, uri: str) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._on_updated, uri)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
