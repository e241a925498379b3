"""Which messages match a hold: the interface of a test, and where the filter language is loaded from.

The filter language is that of the Inspector, whose code is in `workbench.model`, which the core does not import: it is
in the same distribution, and is loaded by its name when the first hold is set. A core that is installed without it
serves as usual, and refuses to hold messages.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TypeAlias

from server_core.errors import ConfigurationError
from server_core.holding.pending_requests import PendingRequest
from server_core.records.tap import Record

LANGUAGE = "workbench.model.traffic.message_matcher"
"""The module with `compile_matcher`: text -> :data:`Matcher`; ValueError with the reason if the text is no filter."""

Related: TypeAlias = Callable[[Record, PendingRequest | None], Sequence[Record]]
"""Returns the earlier records that a message depends on: the handshake of its session, and its request, if any."""
Matcher: TypeAlias = Callable[[Record, PendingRequest | None, Related], bool]
"""Tests a message: its record, the request that it is or belongs to, if any, and what returns what it depends on."""


def load_matcher(text: str) -> Matcher:
    """Return the test of a filter; ConfigurationError if it is invalid, or the filter language is not installed."""
    try:
        language = import_module(LANGUAGE)
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Messages cannot be held: {error.name} is not installed; install mcp-tool-workbench where the core runs."
        ) from error
    try:
        matcher: Matcher = language.compile_matcher(text)
    except ValueError as error:
        raise ConfigurationError(f"The filter is invalid: {error}") from error
    return matcher
