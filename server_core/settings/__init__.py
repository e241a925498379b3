"""The settings of a core, and views of them under the names of Arcade's framework."""

from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'server_core.settings' has no attribute {name!r}")
    from server_core.settings import arcade

    return getattr(arcade, name)
