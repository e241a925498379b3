"""Escape sequences of keys that Textual knows only by name."""

from types import SimpleNamespace
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


def learn_sequences() -> None:
    """Read ESC CR as alt+enter: most terminals send it, and Textual would read it as enter."""
    cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)["\x1b\r"] = (SimpleNamespace(value="alt+enter"),)
