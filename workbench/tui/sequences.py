"""What terminals send for keys that Textual knows by name alone."""

from types import SimpleNamespace
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


def learn_sequences() -> None:
    """Read ESC CR as alt+enter: most terminals send that, and Textual would take it for enter."""
    cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)["\x1b\r"] = (SimpleNamespace(value="alt+enter"),)
