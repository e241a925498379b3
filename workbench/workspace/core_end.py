"""How the core of a terminal ended."""

import asyncio
from typing import Protocol

# The message for a core that has announced its end with such an event; the first event counts.
_MESSAGES = {
    "stop_ordered": "The core was stopped, with `workbench stop` or from another terminal.",
    "core_stopped": "The core has ended: its client or server disconnected, or a signal stopped it.",
}


class AttachedProcess(Protocol):
    """The process of the core, where it is a child of ours or another process that can be stopped."""

    def post_mortem(self) -> str:
        """Return how the process ended, with the last lines that it wrote to stderr; empty while it runs.

        It may block for a moment.
        """

    async def stop(self) -> None:
        """End the process: with a request over a link first, then with signals.

        Raises:
            ConnectionFailed: when it keeps running.
        """


class CoreEnd:
    """What is known of the end of a core: what it has announced, and what its process has left."""

    def __init__(self, process: AttachedProcess | None) -> None:
        self.announced = ""  # the reason that the core announced before it ended; empty if the connection was lost
        self.post_mortem: str | None = None  # how the core ended, unless this terminal has ended it
        self._process = process

    def note_event(self, event: str) -> None:
        self.announced = self.announced or _MESSAGES.get(event, "")

    async def examine(self) -> None:
        """Find out how the core has ended."""
        left = ""
        if not self.announced and self._process is not None:
            # In a thread, because it waits a moment for the process to end.
            left = await asyncio.to_thread(self._process.post_mortem)
        self.post_mortem = self.announced or left or "The connection to the core is lost."
