"""The settings of a core: each with its default, its meaning and its other names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from server_core.settings.setting import Variable, setting
from server_core.settings.values import authorization_servers_text, canonical_url_text, scopes_text, version_text

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
TRANSPORTS = ("stdio", "http", "streamable-http", "streamable")


@dataclass(frozen=True)
class Settings:
    """The settings of a core; each field has its meaning."""

    # The identity of the server.
    server_name: str = setting(
        "",
        "The server's name, where no `MCPApp` says it. Empty for that of the project: from pyproject.toml, else from "
        "the folder.",
        "MCP_SERVER_NAME",
        "ARCADE_MCP_SERVER_NAME",
    )
    server_version: str = setting(
        "",
        "The server's version, where no `MCPApp` says it. Empty for that in pyproject.toml, else 0.1.0.",
        "MCP_SERVER_VERSION",
        "ARCADE_MCP_SERVER_VERSION",
        check=version_text,
        wanted="a semantic version like 1.2.3 or 1.2.3-beta.1",
    )
    server_title: str = setting(
        "",
        "The server's name for people, where its `MCPApp` does not say it.",
        "MCP_SERVER_TITLE",
        "ARCADE_MCP_SERVER_TITLE",
    )
    server_instructions: str = setting(
        "",
        "What a model should know to use the server, where its `MCPApp` does not say it.",
        "MCP_SERVER_INSTRUCTIONS",
        "ARCADE_MCP_SERVER_INSTRUCTIONS",
    )
    environment: str = setting("dev", "Where the server runs, as telemetry tells it.", "ARCADE_ENVIRONMENT")
    user_id: str = setting(
        "",
        "On whose behalf tools run, where no caller has proved to be somebody. Empty for this machine's account on "
        "stdio, and for the session's own id over HTTP.",
        "ARCADE_USER_ID",
    )
    debug: bool = setting(
        False,
        "Write a line for each message on standard error, with what is in it: sets `middleware_enable_logging` and "
        "`middleware_log_level` where those are not given.",
        "MCP_DEBUG",
        "ARCADE_MCP_DEBUG",
    )

    # Tools, and how they are served.
    tool_name_separator: str = setting(
        ".",
        "Stands between the names of toolkit and tool in a qualified name.",
        "ARCADE_TOOL_NAME_SEPARATOR",
    )
    disabled_tools: str = setting(
        "",
        "The tools that are not offered, by their names on the wire or their qualified ones; separated by commas.",
        "ARCADE_DISABLED_TOOLS",
    )
    disabled_toolkits: str = setting(
        "", "The toolkits whose tools are not offered, separated by commas.", "ARCADE_DISABLED_TOOLKITS"
    )
    toolkit: str = setting(
        "",
        "The toolkit of the tools in loose files, which belong to no app and no package: their names then begin with "
        "it. Empty for their plain names.",
    )
    tool_package: str = setting(
        "",
        "Installed packages whose tools are served instead of those of a folder, by their names with or without "
        "`arcade_`; separated by commas.",
        "ARCADE_MCP_TOOL_PACKAGE",
    )
    discover_installed: bool = setting(
        False,
        "Serve the tools of every installed toolkit instead of those of a folder.",
        "ARCADE_MCP_DISCOVER_INSTALLED",
    )
    show_packages: bool = setting(
        False, "Say on standard error which packages were loaded, with their tools.", "ARCADE_MCP_SHOW_PACKAGES"
    )
    server_transport: str = setting(
        "",
        "How `MCPApp.run` serves, whatever the code says, and `workbench serve`, unless its options say it.",
        "ARCADE_SERVER_TRANSPORT",
        choices=TRANSPORTS,
    )
    server_host: str = setting(
        "",
        "The address for HTTP that `MCPApp.run` listens on, whatever the code says, and `workbench serve`, unless its "
        "options say it.",
        "ARCADE_SERVER_HOST",
    )
    server_port: int | None = setting(
        None,
        "The port for HTTP that `MCPApp.run` listens on, whatever the code says, and `workbench serve`, unless its "
        "options say it; 0 for any that is free.",
        Variable("ARCADE_SERVER_PORT", 0, 65535),
        kind=int,
        low=0,
        high=65535,
    )
    server_reload: bool | None = setting(
        None,
        "Whether `MCPApp.run`, whatever the code says, and `workbench serve` load anew what changes on disk.",
        "ARCADE_SERVER_RELOAD",
        kind=bool,
    )
    otel_enable: bool = setting(
        False, "Send traces and metrics to an OpenTelemetry collector.", "ARCADE_MCP_OTEL_ENABLE"
    )

    open_secrets: bool = setting(
        False,
        "Run tools that declare secrets for callers over HTTP from other machines, too, who have not proved who they "
        "are.",
    )

    # Accounts of users, for tools that act in them.
    auth: str = setting(
        "broker",
        "Who gives the tokens for people's accounts: the services themselves, by the broker of this machine, or a mock "
        "service that stands in for all of them.",
        choices=("broker", "mock"),
    )
    auth_port: int = setting(
        8975, "The port of this machine where a person's browser comes back to from a service.", low=1, high=65535
    )

    # Messages.
    max_message_bytes: int = setting(
        16 * 1024 * 1024, "The longest message that is taken from the other side, and the longest result of a tool."
    )
    request_timeout: float = setting(
        60.0, "Seconds to wait for the answer of a client, unless the call says otherwise."
    )
    thread_count: int = setting(32, "How many tools written with plain `def` may run at the same time.")
    max_calls: int = setting(
        1000, "How many requests of one session may be worked on at the same time; as many more may wait."
    )
    max_batch: int = setting(100, "How many messages a batch may have, in the revision that has batches.")
    max_queued_messages: int = setting(
        1000,
        "How many messages may wait for a client that does not read.",
        Variable("MCP_TRANSPORT_MAX_QUEUE_SIZE", 10, 10000),
    )
    page_size: int = setting(250, "How many entries a page of a list has.")
    list_ttl_seconds: float = setting(
        0.0,
        "For how long clients may keep a list, as told in revisions that have that; 0 for not at all.",
        zero="not at all",
    )

    # Sessions and HTTP.
    max_sessions: int = setting(
        1000,
        "How many sessions may be open at the same time.",
        Variable("MCP_TRANSPORT_MAX_SESSIONS", 1, 10000),
    )
    session_idle_timeout: float = setting(
        1800.0,
        "Seconds without a message after which an HTTP session is let go.",
        Variable("MCP_TRANSPORT_SESSION_TIMEOUT_SECONDS", 30, 3600),
    )
    cleanup_interval: float = setting(
        0.0,
        "Every how many seconds such sessions are looked for; 0 for ten times in `session_idle_timeout`.",
        Variable("MCP_TRANSPORT_CLEANUP_INTERVAL_SECONDS", 1, 60),
        zero="ten times in session_idle_timeout",
    )
    event_store: str = setting(
        "memory",
        'Where the events of HTTP sessions are kept for clients that lose their connection: "memory", or the path of '
        "a SQLite file, with which sessions outlive a restart of the server.",
        is_file=True,
    )
    allowed_hosts: str = setting(
        "",
        "Names under which people reach the server over HTTP, besides the loopback ones and the one that it listens "
        "on; separated by commas.",
    )
    allowed_origins: str = setting(
        "",
        "Web pages that may send requests, besides those from here: origins like https://app.example.com, separated "
        "by commas.",
        "MCP_TRANSPORT_ALLOWED_ORIGINS",
    )
    resource_server_canonical_url: str = setting(
        "",
        "How clients name the server, like https://mcp.example.com/mcp; with the next one, it asks clients over HTTP "
        "for tokens.",
        "MCP_RESOURCE_SERVER_CANONICAL_URL",
        check=canonical_url_text,
        wanted="an address like https://mcp.example.com/mcp, with https unless it is of this machine, and no fragment",
    )
    resource_server_authorization_servers: str = setting(
        "",
        "The authorization servers whose tokens are taken, as a JSON array of objects with `authorization_server_url`, "
        "`issuer` and `jwks_uri`.",
        "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS",
        check=authorization_servers_text,
        wanted="a JSON array of authorization servers",
    )
    resource_server_scopes_supported: str = setting(
        "",
        "The scopes that the basic use of the server takes, as its metadata tells them; separated by spaces.",
        "MCP_RESOURCE_SERVER_SCOPES_SUPPORTED",
        check=scopes_text,
        wanted="scopes of printable ASCII without quotes and backslashes",
    )
    resource_server_default_challenge_scopes: str = setting(
        "",
        "The scopes that a client without a token is told to ask for; separated by spaces.",
        "MCP_RESOURCE_SERVER_DEFAULT_CHALLENGE_SCOPES",
        check=scopes_text,
        wanted="scopes of printable ASCII without quotes and backslashes",
    )
    body_timeout: float = setting(30.0, "Seconds that the body of an HTTP request may take to come.")
    shutdown_grace: float = setting(
        5.0,
        "Seconds that running calls get to finish when the server ends.",
        "ARCADE_UVICORN_TIMEOUT_GRACEFUL_SHUTDOWN",
    )
    idle_seconds: float = setting(
        1800.0,
        "Seconds without a terminal, an open session and HTTP after which a core that a terminal has started ends by "
        "itself; 0 for never.",
        zero="never",
    )

    # Notifications of the server.
    list_changed_delay: float = setting(
        0.1,
        "Seconds for which changes of lists and of resources are gathered before clients are told; 0 for not at all.",
        Variable("MCP_NOTIFICATION_DEFAULT_DEBOUNCE_MS", 0, 10000, scale=0.001),
        zero="not at all",
    )
    changes_per_minute: int = setting(
        60,
        "How many such changes one client is told of in a minute; what is more, it is told later; 0 for no limit.",
        Variable("MCP_NOTIFICATION_RATE_LIMIT_PER_MINUTE", 1, 1000),
        zero="no limit",
    )
    max_queued_changes: int = setting(
        1000,
        "How many such changes may wait to be told to one client; the oldest gives way to one that is more.",
        Variable("MCP_NOTIFICATION_MAX_QUEUED_NOTIFICATIONS", 10, 10000),
    )
    max_listeners: int = setting(
        1000, "How many requests may listen for changes at the same time, in the revision that has such."
    )

    # Stateless calls with server requests, and tasks.
    input_seconds: float = setting(
        900.0, "Seconds that a client has to come back with the input that a stateless call asked for."
    )
    max_waiting_calls: int = setting(1000, "How many stateless calls may wait for such input at the same time.")
    state_key: str = setting(
        "",
        "Signs what such a call carries from one request to the next; one for all replicas of a server. Empty for a "
        "key of this user's own, kept in the data folder.",
        is_secret=True,
    )
    task_store: str = setting(
        "memory",
        'Where tasks are kept: "memory", or the path of a SQLite file, with which the results of finished tasks '
        "outlive a restart of the server.",
        is_file=True,
    )
    max_tasks: int = setting(100, "How many tasks may run at the same time.")
    task_ttl: float = setting(
        3600.0, "Seconds for which a task is kept from its creation on, unless its client asks for another time."
    )
    max_task_ttl: float = setting(
        86400.0,
        "The longest time for which a client may have a task kept, in seconds; 0 for no limit.",
        zero="no limit",
    )

    # Captures.
    capture_queue_bytes: int = setting(
        64 * 1024 * 1024,
        "How many bytes of records may wait for the disk; more are not recorded, but counted in their place.",
        low=1024 * 1024,
    )
    max_capture_bytes: int = setting(
        512 * 1024 * 1024,
        "About how large a capture may become; a last record in it says so, and nothing after that is recorded.",
        low=1024 * 1024,
    )
    max_captures: int = setting(
        1000,
        "How many captures are kept; a core that starts deletes the oldest, but none that is in use or was renamed.",
    )
    max_captures_bytes: int = setting(
        2 * 1024 * 1024 * 1024,
        "How many bytes the captures may have together; a core that starts deletes the oldest, in the same way.",
    )

    # Middleware.
    middleware_enable_logging: bool = setting(
        False, "Write a line for each message on standard error.", "MCP_MIDDLEWARE_ENABLE_LOGGING"
    )
    middleware_log_level: str = setting(
        "INFO", "The least severe level of such lines.", "MCP_MIDDLEWARE_LOG_LEVEL", choices=LEVELS
    )
    middleware_enable_error_handling: bool = setting(
        True,
        "Answer a call of a tool with a result where middleware fails.",
        "MCP_MIDDLEWARE_ENABLE_ERROR_HANDLING",
    )
    middleware_mask_error_details: bool = setting(
        False, "Tell clients nothing of what failed there.", "MCP_MIDDLEWARE_MASK_ERROR_DETAILS"
    )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Return the settings that the environment alone gives.

        Args:
            environment: where to look; the process's own when not given.

        Raises:
            ConfigurationError: when a value is not within the limits; the message names the variable and them.
        """
        from server_core.settings.sources import read

        return read(environment=environment).settings

    @classmethod
    def of_project(cls, path: Path, environment: Mapping[str, str] | None = None) -> "Settings":
        """Return the settings of a project: from the environment, else from its `.env`.

        Args:
            path: its folder, or its file.
            environment: where to look first; the process's own when not given.

        Raises:
            ConfigurationError: when a value is not within the limits, or `.env` cannot be read; the message names the
                place, the variable and the limits.
        """
        from server_core.settings.sources import read

        return read(path, environment).settings
