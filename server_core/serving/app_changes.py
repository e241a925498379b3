"""Notice when apps are changed while they are served: on any thread, told on the event loop."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp


class AppChanges:
    """The changes of the apps that are served now.

    Args:
        on_changed: told at once when one may offer something else.
        on_updated: told the address of each of their resources that has new contents.
    """

    def __init__(self, on_changed: Callable[[], None], on_updated: Callable[[str], None]) -> None:
        self._on_changed = on_changed
        self._on_updated = on_updated
        self._apps: tuple[MCPApp, ...] = ()
        self._happened = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def follow(self, apps: "tuple[MCPApp, ...]") -> None:
        """Notice the changes of these apps from now on, and of no others."""
        self._loop = asyncio.get_running_loop()
        for app in self._apps:
            app.listeners.remove(self._note)
            app.readers.remove(self._note_updated)
        for app in apps:
            app.listeners.append(self._note)
            app.readers.append(self._note_updated)
        if set(apps) - set(self._apps):
            # What happened between their load and now was not told.
            self._happened.set()
        self._apps = apps

    @property
    def is_pending(self) -> bool:
        """Whether something may have changed for which nobody has waited yet."""
        return self._happened.is_set()

    async def wait(self) -> None:
        """Wait until something may have changed since the last time."""
        await self._happened.wait()
        self._happened.clear()

    def _note(self) -> None:
        assert self._loop is not None
        if _loop_here() is self._loop:
            self._changed()
        else:
            self._loop.call_soon_threadsafe(self._changed)

    def _changed(self) -> None:
        self._happened.set()
        self._on_changed()

    def _note_updated(self, uri: str) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._on_updated, uri)


def _loop_here() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
