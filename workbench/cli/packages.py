"""Installed packages instead of a folder: the options for that are settings, said for this run alone.

They are set in the environment of this process, which a core that it starts inherits.
"""

import os
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError

if TYPE_CHECKING:
    from workbench.client.target import Target

# As in server_core.settings, which takes longer to import than the first paint may wait.
PREFIX = "WORKBENCH_"
_CHOOSING = ("tool_package", "discover_installed")


def choose_packages(target: "Target", names: str, installed: bool) -> "Target":
    """Serve packages instead of the folder, and return the target.

    Args:
        target: what the command is about; the folder's settings and secrets count for the packages too.
        names: of the packages, separated by commas; empty for none.
        installed: every installed toolkit is meant.

    Raises:
        ConfigurationError: when the command is about another server.
    """
    if not names and not installed:
        return target
    if target.project is None:
        raise ConfigurationError(
            "--tool-package and --discover-installed are for tools that are served here; leave them out with --url or"
            " -- COMMAND"
        )
    set_for_this_run(tool_package=names, discover_installed="true" if installed and not names else "")
    return target


def set_for_this_run(**settings: str) -> None:
    """Give settings a value that wins over every other place, until this process ends; an empty one says nothing."""
    for name, value in settings.items():
        if value:
            os.environ[f"{PREFIX}{name.upper()}"] = value


def forget_packages() -> None:
    """Serve what lies in folders again: a person opens another one."""
    for name in _CHOOSING:
        os.environ.pop(f"{PREFIX}{name.upper()}", None)
