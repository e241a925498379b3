"""The settings of a core: each with its default, its meaning and its other names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from server_core.runtime.capture_limits import CaptureLimits
from server_core.settings.setting import Variable, setting
from server_core.settings.values import authorization_servers_text, canonical_url_text, scopes_text, version_text

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
TRANSPORTS = ("stdio", "http", "streamable-http", "streamable")


@dataclass(frozen=True)
class Settings:
    """The settings of a core; each field has its description."""

    # The identity of the server.
    server_name: str = setting(
        "",
        "The server's name, unless its `MCPApp` sets it. Empty for the name of the project: from pyproject.toml, else "
        "of the folder.",
        "MCP_SERVER_NAME",
        "ARCADE_MCP_SERVER_NAME",
    )
    server_version: str = setting(
        "",
        "The server's version, unless its `MCPApp` sets it. Empty for the version in pyproject.toml, else 0.1.0.",
        "MCP_SERVER_VERSION",
        "ARCADE_MCP_SERVER_VERSION",
        check=version_text,
        requirement="a semantic version like 1.2.3 or 1.2.3-beta.1",
    )
    server_title: str = setting(
        "",
        "The server's display name, unless its `MCPApp` sets it.",
        "MCP_SERVER_TITLE",
        "ARCADE_MCP_SERVER_TITLE",
    )
    server_instructions: str = setting(
        "",
        "Instructions for models that use the server, unless its `MCPApp` sets them.",
        "MCP_SERVER_INSTRUCTIONS",
        "ARCADE_MCP_SERVER_INSTRUCTIONS",
    )
    environment: str = setting("dev", "The deployment environment in telemetry.", "ARCADE_ENVIRONMENT")
    user_id: str = setting(
        "",
        "The user on whose behalf tools run, unless the caller is authenticated. Empty for the account of this machine "
        "on stdio, and for the id of the session over HTTP.",
        "ARCADE_USER_ID",
    )
    debug: bool = setting(
        False,
        "Log each message with its content on standard error: sets `middleware_enable_logging` and "
        "`middleware_log_level`, unless they are set.",
        "MCP_DEBUG",
        "ARCADE_MCP_DEBUG",
    )

    # Tools, and how they are served.
    tool_name_separator: str = setting(
        ".",
        "The separator between the names of toolkit and tool in a qualified name.",
        "ARCADE_TOOL_NAME_SEPARATOR",
    )
    disabled_tools: str = setting(
        "",
        "The tools that are not offered, by their wire names or qualified names; separated by commas.",
        "ARCADE_DISABLED_TOOLS",
    )
    disabled_toolkits: str = setting(
        "", "The toolkits whose tools are not offered, separated by commas.", "ARCADE_DISABLED_TOOLKITS"
    )
    toolkit: str = setting(
        "",
        "The toolkit of tools in files that belong to no app and no package; their names begin with it. Empty for "
        "plain names.",
    )
    tool_package: str = setting(
        "",
        "Installed packages whose tools are served instead of those of a folder; names may omit `arcade_`; separated "
        "by commas.",
        "ARCADE_MCP_TOOL_PACKAGE",
    )
    discover_installed: bool = setting(
        False,
        "Serve the tools of every installed toolkit instead of those of a folder.",
        "ARCADE_MCP_DISCOVER_INSTALLED",
    )
    show_packages: bool = setting(
        False, "List the loaded packages and their tools on standard error.", "ARCADE_MCP_SHOW_PACKAGES"
    )
    server_transport: str = setting(
        "",
        "The transport of `MCPApp.run`, which overrides the code, and of `workbench serve`, unless an option sets it.",
        "ARCADE_SERVER_TRANSPORT",
        choices=TRANSPORTS,
    )
    server_host: str = setting(
        "",
        "The HTTP host of `MCPApp.run`, which overrides the code, and of `workbench serve`, unless an option sets it.",
        "ARCADE_SERVER_HOST",
    )
    server_port: int | None = setting(
        None,
        "The HTTP port of `MCPApp.run`, which overrides the code, and of `workbench serve`, unless an option sets it; "
        "0 for any free port.",
        Variable("ARCADE_SERVER_PORT", 0, 65535),
        kind=int,
        low=0,
        high=65535,
    )
    server_reload: bool | None = setting(
        None,
        "Whether `MCPApp.run`, whatever its code sets, and `workbench serve` reload changed files.",
        "ARCADE_SERVER_RELOAD",
        kind=bool,
    )
    otel_enable: bool = setting(
        False, "Send traces and metrics to an OpenTelemetry collector.", "ARCADE_MCP_OTEL_ENABLE"
    )

    open_secrets: bool = setting(
        False,
        "Run tools that declare secrets also for unauthenticated callers over HTTP from other machines.",
    )

    # Accounts of users, for tools that act on their behalf.
    auth: str = setting(
        "broker",
        "How tools get tokens for users' accounts: `broker` asks the services from this machine; `mock` replaces all "
        "services with a mock service.",
        choices=("broker", "mock"),
    )
    auth_port: int = setting(
        8975, "The port of this machine for redirects of the browser from a service.", low=1, high=65535
    )

    # Messages.
    max_message_bytes: int = setting(
        16 * 1024 * 1024, "The maximum size of a received message, and of a tool's result, in bytes."
    )
    request_timeout: float = setting(
        60.0, "Seconds to wait for a client's response, unless the request has its own timeout."
    )
    thread_count: int = setting(32, "The maximum number of tools written with plain `def` that run at the same time.")
    max_calls: int = setting(
        1000, "The maximum number of requests of a session that run at the same time; as many more may wait."
    )
    max_batch: int = setting(100, "The maximum number of messages in a batch, in the revision that has batches.")
    max_queued_messages: int = setting(
        1000,
        "The maximum number of messages that wait for a client that does not read.",
        Variable("MCP_TRANSPORT_MAX_QUEUE_SIZE", 10, 10000),
    )
    page_size: int = setting(250, "The number of entries on a page of a list.")
    list_ttl_seconds: float = setting(
        0.0,
        "Seconds for which clients may cache a list, in revisions with cache hints; 0 for no caching.",
        zero="no caching",
    )

    # Sessions and HTTP.
    max_sessions: int = setting(
        1000,
        "The maximum number of open sessions.",
        Variable("MCP_TRANSPORT_MAX_SESSIONS", 1, 10000),
    )
    session_idle_timeout: float = setting(
        1800.0,
        "Seconds without a message after which an HTTP session is closed.",
        Variable("MCP_TRANSPORT_SESSION_TIMEOUT_SECONDS", 30, 3600),
    )
    cleanup_interval: float = setting(
        0.0,
        "Seconds between checks for HTTP sessions whose timeout is over; 0 for a tenth of `session_idle_timeout`.",
        Variable("MCP_TRANSPORT_CLEANUP_INTERVAL_SECONDS", 1, 60),
        zero="a tenth of session_idle_timeout",
    )
    event_store: str = setting(
        "memory",
        'Where the events of HTTP sessions are stored for clients that reconnect: "memory", or the path of a SQLite '
        "file, with which sessions outlive a restart of the server.",
        is_file=True,
    )
    allowed_hosts: str = setting(
        "",
        "Host names that clients may use for the server over HTTP, besides the loopback names and the host that it "
        "listens on; separated by commas.",
    )
    allowed_origins: str = setting(
        "",
        "Origins of web pages that may send requests, besides those of this machine, such as https://app.example.com; "
        "separated by commas.",
        "MCP_TRANSPORT_ALLOWED_ORIGINS",
    )
    resource_server_canonical_url: str = setting(
        "",
        "The URL of the server for clients, such as https://mcp.example.com/mcp; together with the authorization "
        "servers, it makes the server require tokens over HTTP.",
        "MCP_RESOURCE_SERVER_CANONICAL_URL",
        check=canonical_url_text,
        requirement="a URL such as https://mcp.example.com/mcp, without a fragment; http only on this machine",
    )
    resource_server_authorization_servers: str = setting(
        "",
        "The authorization servers whose tokens are accepted, as a JSON array of objects with "
        "`authorization_server_url`, `issuer` and `jwks_uri`.",
        "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS",
        check=authorization_servers_text,
        requirement="a JSON array of authorization servers",
    )
    resource_server_scopes_supported: str = setting(
        "",
        "The scopes for basic use of the server, in its resource metadata; separated by spaces.",
        "MCP_RESOURCE_SERVER_SCOPES_SUPPORTED",
        check=scopes_text,
        requirement="scopes of printable ASCII without quotes and backslashes",
    )
    resource_server_default_challenge_scopes: str = setting(
        "",
        "The scopes in the challenge to a client without a token; separated by spaces.",
        "MCP_RESOURCE_SERVER_DEFAULT_CHALLENGE_SCOPES",
        check=scopes_text,
        requirement="scopes of printable ASCII without quotes and backslashes",
    )
    body_timeout: float = setting(30.0, "Seconds until the body of an HTTP request must have arrived.")
    shutdown_grace: float = setting(
        5.0,
        "Seconds for running calls to finish when the server is stopped.",
        "ARCADE_UVICORN_TIMEOUT_GRACEFUL_SHUTDOWN",
    )
    idle_seconds: float = setting(
        1800.0,
        "Seconds without a terminal, an open session or an HTTP listener after which a core that a terminal has "
        "started exits; 0 for never.",
        zero="never",
    )

    # Notifications of the server.
    list_changed_delay: float = setting(
        0.1,
        "Seconds for which changes of lists and resources are collected before clients are notified; 0 for no delay.",
        Variable("MCP_NOTIFICATION_DEFAULT_DEBOUNCE_MS", 0, 10000, scale=0.001),
        zero="no delay",
    )
    changes_per_minute: int = setting(
        60,
        "The maximum number of notifications of changes to a client in a minute; more are sent later; 0 for no limit.",
        Variable("MCP_NOTIFICATION_RATE_LIMIT_PER_MINUTE", 1, 1000),
        zero="no limit",
    )
    max_queued_changes: int = setting(
        1000,
        "The maximum number of changes of which a client has not been notified yet; the oldest are dropped.",
        Variable("MCP_NOTIFICATION_MAX_QUEUED_NOTIFICATIONS", 10, 10000),
    )
    max_listeners: int = setting(
        1000,
        "The maximum number of requests that listen for changes at the same time, in the revision with "
        "`subscriptions/listen`.",
    )

    # Stateless calls with server requests, and tasks.
    input_seconds: float = setting(
        900.0, "Seconds that a client has to continue a stateless call with the requested input."
    )
    max_waiting_calls: int = setting(1000, "The maximum number of stateless calls that wait for input of their client.")
    state_key: str = setting(
        "",
        "The key that signs the state of a stateless call between its requests; the same for all replicas of a server. "
        "Empty for a generated key in the data folder of this user.",
        is_secret=True,
    )
    task_store: str = setting(
        "memory",
        'Where tasks are stored: "memory", or the path of a SQLite file, with which the results of finished tasks '
        "outlive a restart of the server.",
        is_file=True,
    )
    max_tasks: int = setting(100, "The maximum number of tasks that run at the same time.")
    task_ttl: float = setting(
        3600.0, "Seconds for which a task is stored after its creation, unless its client requests another time."
    )
    max_task_ttl: float = setting(
        86400.0,
        "The maximum time for which a client may have a task stored, in seconds; 0 for no limit.",
        zero="no limit",
    )

    # Captures.
    record_details: bool = setting(
        False,
        "Record the running times of tools and the HTTP requests that they make also while no terminal is attached.",
    )
    capture_queue_bytes: int = setting(
        64 * 1024 * 1024,
        "The maximum size of records that wait for the disk, in bytes; further records are counted but not recorded.",
        low=1024 * 1024,
    )
    max_capture_bytes: int = setting(
        512 * 1024 * 1024,
        "The approximate maximum size of a capture, in bytes; a last record reports the limit, and recording stops.",
        low=1024 * 1024,
    )
    max_captures: int = setting(
        1000,
        "The maximum number of captures; a starting core deletes the oldest, except those pinned, in use or renamed.",
    )
    max_captures_bytes: int = setting(
        2 * 1024 * 1024 * 1024,
        "The maximum size of all captures together, in bytes; a starting core deletes the oldest, except those pinned, "
        "in use or renamed.",
    )
    max_capture_days: float = setting(
        0.0,
        "The days since a capture was last written after which a starting core deletes it, unless it is pinned, in use "
        "or renamed; 0 for no limit.",
        zero="no limit",
    )

    @property
    def capture_limits(self) -> CaptureLimits:
        """The limits beyond which old captures are deleted."""
        return CaptureLimits(self.max_captures, self.max_captures_bytes, self.max_capture_days)

    # Middleware.
    middleware_enable_logging: bool = setting(
        False, "Log each message on standard error.", "MCP_MIDDLEWARE_ENABLE_LOGGING"
    )
    middleware_log_level: str = setting(
        "INFO", "The minimum level of the log lines about messages.", "MCP_MIDDLEWARE_LOG_LEVEL", choices=LEVELS
    )
    middleware_enable_error_handling: bool = setting(
        True,
        "Answer a tool call with an error result when middleware fails.",
        "MCP_MIDDLEWARE_ENABLE_ERROR_HANDLING",
    )
    middleware_mask_error_details: bool = setting(
        False, "Send clients no details when middleware fails.", "MCP_MIDDLEWARE_MASK_ERROR_DETAILS"
    )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Return the settings from environment variables alone; ConfigurationError for an invalid value."""
        from server_core.settings.sources import read_settings  # It imports this module.

        return read_settings(environment=environment).settings

    @classmethod
    def of_project(cls, path: Path, environment: Mapping[str, str] | None = None) -> "Settings":
        """Return the settings of the project with this folder or file: from the environment, else from its `.env`."""
        from server_core.settings.sources import read_settings  # It imports this module.

        return read_settings(path, environment).settings
