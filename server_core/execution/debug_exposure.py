"""Two environment variables that expose developer messages and stack traces to agents, for debugging.

Without them no agent gets either; the workbench shows both for every failed call next to the traffic. They are read
when a call fails. Each accepts a single value, which names the risk.
"""

import logging
import os
from collections.abc import Callable

from server_core.execution.failures import Failure

DEVELOPER_MESSAGE = "ARCADE_DEBUG_EXPOSE_DEVELOPER_MESSAGE_IN_TOOL_ERROR_RESPONSES"
STACKTRACE = "ARCADE_DEBUG_EXPOSE_STACKTRACE_IN_TOOL_ERROR_RESPONSES"
ACCEPTED = "yes-i-accept-leaking-internals-to-the-agent"

_log = logging.getLogger(__name__)
_warned: set[tuple[str, bool]] = set()  # The variables are read at each failure; a warning is logged once.


def is_exposing() -> bool:
    """Return whether either variable is set: a cheap check before :func:`exposed_text`."""
    return bool(os.environ.get(DEVELOPER_MESSAGE) or os.environ.get(STACKTRACE))


def exposed_text(failure: Failure, mask: Callable[[str], str]) -> str:
    """Return the text to append to an error for the agent, masked; empty if neither variable enables it."""
    text = ""
    if _is_on(DEVELOPER_MESSAGE) and failure.developer_message is not None:
        text += f"\n\n[DEBUG] developer_message: {failure.describe(failure.developer_message)}"
    if _is_on(STACKTRACE):
        trace = failure.stacktrace
        missing = " unavailable (tool error payload did not include one)"
        text += f"\n\n[DEBUG] stacktrace:{missing if trace is None else f'{chr(10)}{trace}'}"
    return mask(text)


def _is_on(name: str) -> bool:
    value = os.environ.get(name, "")
    is_on = value == ACCEPTED
    if value and (name, is_on) not in _warned:
        _warned.add((name, is_on))
        _log.warning(_ENABLED if is_on else _REJECTED, name, ACCEPTED)
    return is_on


_ENABLED = (
    "%s is set to %r: details for developers are sent to every agent whose call fails. Never do this in production."
)
_REJECTED = "%s is set, but not to %r, so it has no effect."
