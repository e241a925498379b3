"""No setting is dead: each is read where it takes effect."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from server_core.settings import Settings

ROWS = ("S12",)
ROOT = Path(__file__).parents[3]
OURS = ("arcade.py", "table.py")
"""These only show settings, or define them."""
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("server_core", "workbench")
    for path in (ROOT / folder).rglob("*.py")
    if not (path.parent.name == "settings" and path.name in OURS)
)
BY_THEIR_PREFIX = {f"server_{name}" for name in ("transport", "host", "port", "reload")}
"""Read together, by :mod:`server_core.run_options`."""
OF_DISCOVERY = {"tool_package", "discover_installed", "show_packages"}
"""They choose what is served before a project is opened."""


@pytest.mark.parametrize("name", [one.name for one in fields(Settings)])
def test_a_setting_is_read_somewhere(name: str) -> None:
    if name in BY_THEIR_PREFIX:
        assert 'getattr(settings, f"server_{' in CODE
    elif name not in OF_DISCOVERY:
        assert re.search(rf'settings\.{name}\b|"{name}": \{{', CODE)
