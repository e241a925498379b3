"""Views of the settings under the names of Arcade's framework.

Rule 1: these are views of :class:`Settings`, in Arcade's units, with the defaults of :class:`Settings`.
Rule 2: sections whose settings have no effect here are left out.
"""

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from server_core.settings.table import Settings


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The identity of the server, unless its `MCPApp` sets it; None for the values of the project."""

    name: str | None
    version: str | None
    title: str | None
    instructions: str | None


@dataclass(frozen=True, slots=True)
class TransportSettings:
    """Sessions over HTTP, and queues for clients; times in seconds."""

    session_timeout_seconds: float
    cleanup_interval_seconds: float
    max_sessions: int
    max_queue_size: int
    allowed_origins: list[str] | None


@dataclass(frozen=True, slots=True)
class NotificationSettings:
    """Notifications that a list or a resource has changed."""

    rate_limit_per_minute: int
    default_debounce_ms: int
    max_queued_notifications: int


@dataclass(frozen=True, slots=True)
class ResourceServerSettings:
    """Authorization of clients over HTTP; None for values that are not set."""

    canonical_url: str | None
    authorization_servers: list[dict[str, Any]] | None
    scopes_supported: list[str] | None
    default_challenge_scopes: list[str] | None


@dataclass(frozen=True, slots=True)
class MiddlewareSettings:
    """The built-in middleware."""

    enable_logging: bool
    log_level: str
    enable_error_handling: bool
    mask_error_details: bool


@dataclass(frozen=True, slots=True)
class ArcadeSettings:
    """The environment that the server runs in, and its user."""

    environment: str
    user_id: str | None


@dataclass(frozen=True, slots=True)
class ToolEnvironmentSettings:
    """The values that tools may declare as secrets."""

    tool_environment: dict[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class MCPSettings:
    """The settings, by sections."""

    notification: NotificationSettings
    transport: TransportSettings
    server: ServerSettings
    resource_server: ResourceServerSettings
    middleware: MiddlewareSettings
    arcade: ArcadeSettings
    tool_environment: ToolEnvironmentSettings
    debug: bool

    @classmethod
    def from_env(cls, path: Path | None = None) -> "MCPSettings":
        """Return the settings of a project, from the environment and its `.env`.

        Args:
            path: the folder or file of the project; the working directory when not given.

        Raises:
            ConfigurationError: when a value is not within its limits, or `.env` cannot be read.
        """
        path = path or Path.cwd()
        return mcp_settings(Settings.of_project(path), _tool_environment(path))

    def tool_secrets(self) -> dict[str, str]:
        """Return the values that tools may declare as secrets: name -> value."""
        return dict(self.tool_environment.tool_environment)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a dictionary of dictionaries, without the secrets."""
        document = asdict(self)
        del document["tool_environment"]
        return document


def mcp_settings(values: Settings, tool_environment: dict[str, str]) -> MCPSettings:
    """Return settings under Arcade's names."""
    origins = [origin.strip() for origin in values.allowed_origins.split(",") if origin.strip()]
    return MCPSettings(
        NotificationSettings(
            values.changes_per_minute,
            round(values.list_changed_delay * 1000),
            values.max_queued_changes,
        ),
        TransportSettings(
            values.session_idle_timeout,
            values.cleanup_interval or values.session_idle_timeout / 10,
            values.max_sessions,
            values.max_queued_messages,
            origins or None,
        ),
        ServerSettings(
            values.server_name or None,
            values.server_version or None,
            values.server_title or None,
            values.server_instructions or None,
        ),
        _resource_server(values),
        MiddlewareSettings(
            values.middleware_enable_logging,
            values.middleware_log_level,
            values.middleware_enable_error_handling,
            values.middleware_mask_error_details,
        ),
        ArcadeSettings(values.environment, values.user_id or None),
        ToolEnvironmentSettings(tool_environment),
        values.debug,
    )


def find_env_file(start_dir: Path | None = None, stop_at: Path | None = None, filename: str = ".env") -> Path | None:
    """Return the nearest file of a name, from a folder upwards; None if there is none.

    Args:
        start_dir: the folder; the working directory when not given.
        stop_at: the last folder to search; when not given, the nearest with a pyproject.toml, else the root folder.
        filename: the name of the file.
    """
    from server_core.runtime.paths import project_root

    folder = (start_dir or Path.cwd()).resolve()
    last = project_root(folder) if stop_at is None else stop_at.resolve()
    for candidate in (folder, *folder.parents):
        if (candidate / filename).is_file():
            return candidate / filename
        if candidate == last:
            break
    return None


def _resource_server(values: Settings) -> ResourceServerSettings:
    from server_core.resource_server.configuration import ResourceServerConfiguration

    configured = ResourceServerConfiguration.from_settings(values)
    entries = configured.authorization_servers
    return ResourceServerSettings(
        configured.canonical_url,
        None if entries is None else [asdict(entry) for entry in entries],
        configured.scopes_supported,
        configured.default_challenge_scopes,
    )


def _tool_environment(path: Path) -> dict[str, str]:
    from server_core.runtime import env_file
    from server_core.secrets.secret_names import is_reserved

    in_file = {key: entry.value for key, entry in env_file.read_entries(env_file.find(path)).items()}
    return {key: value for key, value in {**in_file, **os.environ}.items() if value and not is_reserved(key)}


def __getattr__(name: str) -> Any:
    # Not at import, which must neither read `.env` nor fail for an invalid value.
    if name != "settings":
        raise AttributeError(f"module 'server_core.settings' has no attribute {name!r}")
    return MCPSettings.from_env()


settings: MCPSettings
"""The settings of the working directory, read on each access."""
