"""The two switches that show an author's failures to agents, for debugging an agent and its tools together.

Without them nothing of it ever reaches an agent: the workbench shows developer message and stack trace of every failed
call beside the traffic. They are read when a call fails, and take one exact value, which says what it does.
"""

import logging
import os
from collections.abc import Callable
from typing import Protocol

DEVELOPER_MESSAGE = "ARCADE_DEBUG_EXPOSE_DEVELOPER_MESSAGE_IN_TOOL_ERROR_RESPONSES"
STACKTRACE = "ARCADE_DEBUG_EXPOSE_STACKTRACE_IN_TOOL_ERROR_RESPONSES"
ACCEPTED = "yes-i-accept-leaking-internals-to-the-agent"

_log = logging.getLogger(__name__)
_warned: set[tuple[str, bool]] = set()


class Exposed(Protocol):
    """A failed call, as far as these switches show it."""

    @property
    def developer_message(self) -> str | None: ...

    @property
    def stacktrace(self) -> str | None: ...

    def describe(self, text: object) -> str:
        """Return a text with what failed before it."""


def is_exposing() -> bool:
    """Whether any of the switches is set to something; what is none of their business costs two look-ups."""
    return bool(os.environ.get(DEVELOPER_MESSAGE) or os.environ.get(STACKTRACE))


def exposed_text(failure: Exposed, mask: Callable[[str], str]) -> str:
    """Return what the switches add to the text that the agent reads; empty when none is on.

    Args:
        failure: the call that failed.
        mask: replaces the values of secrets.
    """
    added = ""
    if _is_on(DEVELOPER_MESSAGE) and failure.developer_message is not None:
        added += f"\n\n[DEBUG] developer_message: {failure.describe(failure.developer_message)}"
    if _is_on(STACKTRACE):
        trace = failure.stacktrace
        missing = " unavailable (tool error payload did not include one)"
        added += f"\n\n[DEBUG] stacktrace:{missing if trace is None else f'{chr(10)}{trace}'}"
    return mask(added)


def _is_on(name: str) -> bool:
    value = os.environ.get(name, "")
    is_on = value == ACCEPTED
    if value and (name, is_on) not in _warned:
        _warned.add((name, is_on))
        _log.warning(_EXPOSED if is_on else _REJECTED, name, ACCEPTED)
    return is_on


_EXPOSED = (
    "%s is set to %r: what only developers should see goes to every agent whose call fails. "
    "Never do this in production."
)
_REJECTED = "%s is set, but not to %r, so it does nothing."
