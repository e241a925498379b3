"""The settings of a core, and views of them under the names of Arcade's framework."""

from typing import TYPE_CHECKING

from server_core.lazy_names import lazy_names
from server_core.settings.setting import PREFIX
from server_core.settings.table import Settings

if TYPE_CHECKING:
    from server_core.settings.arcade import (
        ArcadeSettings,
        MCPSettings,
        MiddlewareSettings,
        NotificationSettings,
        ResourceServerSettings,
        ServerSettings,
        ToolEnvironmentSettings,
        TransportSettings,
        find_env_file,
        settings,
    )

__all__ = [
    "PREFIX",
    "ArcadeSettings",
    "MCPSettings",
    "MiddlewareSettings",
    "NotificationSettings",
    "ResourceServerSettings",
    "ServerSettings",
    "Settings",
    "ToolEnvironmentSettings",
    "TransportSettings",
    "find_env_file",
    "settings",
]


__getattr__, __dir__ = lazy_names(globals(), "arcade")
