"""What Arcade's authors read of the settings, under the names that they know.

Rule 1: these are views of :class:`Settings`, in Arcade's units; a default of ours is ours here too.
Rule 2: a section is left out as long as there is nothing that its settings change.
"""

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from server_core.settings.table import Settings


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Who the server is, where its `MCPApp` does not say it; None for what the project says."""

    name: str | None
    version: str | None
    title: str | None
    instructions: str | None


@dataclass(frozen=True, slots=True)
class TransportSettings:
    """Sessions over HTTP, and what waits for a client; times in seconds."""

    session_timeout_seconds: float
    cleanup_interval_seconds: float
    max_sessions: int
    max_queue_size: int
    allowed_origins: list[str] | None


@dataclass(frozen=True, slots=True)
class NotificationSettings:
    """What the server tells of its own accord."""

    rate_limit_per_minute: int
    default_debounce_ms: int
    max_queued_notifications: int


@dataclass(frozen=True, slots=True)
class ResourceServerSettings:
    """Whose tokens clients over HTTP must have; None for what is not set."""

    canonical_url: str | None
    authorization_servers: list[dict[str, Any]] | None
    scopes_supported: list[str] | None
    default_challenge_scopes: list[str] | None


@dataclass(frozen=True, slots=True)
class MiddlewareSettings:
    """What messages pass on their way."""

    enable_logging: bool
    log_level: str
    enable_error_handling: bool
    mask_error_details: bool


@dataclass(frozen=True, slots=True)
class ArcadeSettings:
    """Where the server runs, and on whose behalf."""

    environment: str
    user_id: str | None


@dataclass(frozen=True, slots=True)
class ToolEnvironmentSettings:
    """What tools may declare as secrets."""

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
            path: the project's folder or file; the working directory when not given.

        Raises:
            ConfigurationError: when a value is not within its limits, or `.env` cannot be read.
        """
        path = path or Path.cwd()
        return of_settings(Settings.of_project(path), _tool_environment(path))

    def tool_secrets(self) -> dict[str, str]:
        """Return what tools may declare as secrets: name -> value."""
        return dict(self.tool_environment.tool_environment)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a dictionary of dictionaries, without the secrets."""
        document = asdict(self)
        del document["tool_environment"]
        return document


def of_settings(values: Settings, tool_environment: dict[str, str]) -> MCPSettings:
    """Return settings under Arcade's names.

    Args:
        values: the settings.
        tool_environment: what tools may declare as secrets.
    """
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
    """Return the nearest file of a name, from a folder upwards; None where there is none.

    Args:
        start_dir: the folder; the working directory when not given.
        stop_at: the last folder that is looked into; the nearest one with a pyproject.toml when not given, and where
            there is none, all folders are.
        filename: the name.
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
    from server_core.resource_server.configured import Configured

    configured = Configured.of(values)
    entries = configured.authorization_servers
    return ResourceServerSettings(
        configured.canonical_url,
        None if entries is None else [asdict(entry) for entry in entries],
        configured.scopes_supported,
        configured.default_challenge_scopes,
    )


def _tool_environment(path: Path) -> dict[str, str]:
    from server_core.runtime import env_file
    from server_core.secrets.names import is_reserved

    in_file = {key: entry.value for key, entry in env_file.entries(env_file.find(path)).items()}
    return {key: value for key, value in {**in_file, **os.environ}.items() if value and not is_reserved(key)}


def __getattr__(name: str) -> Any:
    if name != "settings":
        raise AttributeError(f"module 'server_core.settings' has no attribute {name!r}")
    return MCPSettings.from_env()


settings: MCPSettings
"""Those of the working directory, read when it is asked for."""
