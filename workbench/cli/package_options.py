"""Options for installed packages instead of a folder: set in this environment, which a core that it starts inherits."""

import os
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError

if TYPE_CHECKING:
    from workbench.client.target import Target

# As in server_core.settings, whose import would delay the first paint.
PREFIX = "WORKBENCH_"
_CHOICES = ("tool_package", "discover_installed")


def choose_packages(target: "Target", names: str, installed: bool) -> "Target":
    """Serve installed packages in the folder instead of its files; ConfigurationError for another server."""
    if not names and not installed:
        return target
    if target.project is None:
        raise ConfigurationError("--tool-package and --discover-installed cannot be combined with --url or -- COMMAND")
    set_for_this_run(tool_package=names, discover_installed="true" if installed and not names else "")
    return target


def set_for_this_run(**settings: str) -> None:
    """Override settings until this process ends; empty values are ignored."""
    for name, value in settings.items():
        if value:
            os.environ[f"{PREFIX}{name.upper()}"] = value


def forget_packages() -> None:
    """Remove the choice of packages, because the user opens another folder."""
    for name in _CHOICES:
        os.environ.pop(f"{PREFIX}{name.upper()}", None)
