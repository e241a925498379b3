"""The limits and switches of a core, read once from the environment."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields

from server_core.errors import ConfigurationError

PREFIX = "WORKBENCH_"
# The settings that go by another name in the environment.
_VARIABLES = {
    "tool_name_separator": "ARCADE_TOOL_NAME_SEPARATOR",
    "disabled_tools": "ARCADE_DISABLED_TOOLS",
    "disabled_toolkits": "ARCADE_DISABLED_TOOLKITS",
    "middleware_enable_logging": "MCP_MIDDLEWARE_ENABLE_LOGGING",
    "middleware_log_level": "MCP_MIDDLEWARE_LOG_LEVEL",
    "middleware_enable_error_handling": "MCP_MIDDLEWARE_ENABLE_ERROR_HANDLING",
    "middleware_mask_error_details": "MCP_MIDDLEWARE_MASK_ERROR_DETAILS",
}
_SWITCHES = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_CHOICES = {"middleware_log_level": ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")}
# The settings that may be zero, and what that stands for.
_ZEROS = {
    "idle_seconds": "never",
    "max_task_ttl": "no limit",
    "list_ttl_seconds": "not at all",
    "list_changed_delay": "not at all",
    "changes_per_minute": "no limit",
}


@dataclass(frozen=True)
class Settings:
    """What can be set; the environment variable of each is its name in capitals after `WORKBENCH_`,
    but for those that Arcade has too: they keep their names.

    Attributes:
        max_message_bytes: the longest message that is taken from the other side.
        request_timeout: seconds to wait for the answer of a client, unless the call says otherwise.
        thread_count: how many tools written with plain `def` may run at the same time.
        max_sessions: how many sessions may be open at the same time.
        session_idle_timeout: seconds without a message after which an HTTP session is let go.
        event_store: where the events of HTTP sessions are kept for clients that lose their connection: "memory", or
            the path of a SQLite file, with which sessions outlive a restart of the server.
        allowed_hosts: names under which people reach the server over HTTP, besides the loopback ones and the one that
            it listens on; separated by commas.
        body_timeout: seconds that the body of an HTTP request may take to come.
        max_listeners: how many requests may listen for changes at the same time, in the revision that has such.
        max_calls: how many requests of one session may be worked on at the same time; as many more may wait.
        max_batch: how many messages a batch may have, in the revision that has batches.
        max_queued_messages: how many messages may wait for a client that does not read.
        shutdown_grace: seconds that running calls get to finish when the server ends.
        idle_seconds: seconds without a terminal, an open session and HTTP after which a core that a terminal has
            started ends by itself; 0 for never.
        input_seconds: seconds that a client has to come back with the input that a stateless call asked for.
        max_waiting_calls: how many stateless calls may wait for such input at the same time.
        state_key: signs what such a call carries from one request to the next; one for all replicas of a server.
            Empty for a key of this user's own, kept in the data folder.
        task_store: where tasks are kept: "memory", or the path of a SQLite file, with which the results of finished
            tasks outlive a restart of the server.
        max_tasks: how many tasks may run at the same time.
        task_ttl: seconds for which a task is kept from its creation on, unless its client asks for another time.
        max_task_ttl: the longest time for which a client may have a task kept, in seconds; 0 for no limit.
        page_size: how many entries a page of a list has.
        list_changed_delay: seconds for which changes of lists and of resources are gathered before clients are told;
            0 for not at all.
        changes_per_minute: how many such changes one client is told of in a minute; what is more, it is told later;
            0 for no limit.
        list_ttl_seconds: for how long clients may keep a list, as told in revisions that have that; 0 for not at all.
        tool_name_separator: stands between the names of toolkit and tool in a qualified name.
        disabled_tools: the tools that are not offered, by their names on the wire or their qualified ones; separated
            by commas.
        disabled_toolkits: the toolkits whose tools are not offered, separated by commas.
        middleware_enable_logging: write a line for each message on standard error.
        middleware_log_level: the least severe level of such lines.
        middleware_enable_error_handling: answer a call of a tool with a result where middleware fails.
        middleware_mask_error_details: tell clients nothing of what failed there.
    """

    max_message_bytes: int = 16 * 1024 * 1024
    request_timeout: float = 60.0
    thread_count: int = 32
    max_sessions: int = 1000
    session_idle_timeout: float = 1800.0
    event_store: str = "memory"
    allowed_hosts: str = ""
    body_timeout: float = 30.0
    max_listeners: int = 1000
    max_calls: int = 1000
    max_batch: int = 100
    max_queued_messages: int = 1000
    shutdown_grace: float = 5.0
    idle_seconds: float = 1800.0
    input_seconds: float = 900.0
    max_waiting_calls: int = 1000
    state_key: str = field(default="", repr=False)
    task_store: str = "memory"
    max_tasks: int = 100
    task_ttl: float = 3600.0
    max_task_ttl: float = 86400.0
    page_size: int = 250
    list_changed_delay: float = 0.1
    changes_per_minute: int = 60
    list_ttl_seconds: float = 0.0
    tool_name_separator: str = "."
    disabled_tools: str = ""
    disabled_toolkits: str = ""
    middleware_enable_logging: bool = False
    middleware_log_level: str = "INFO"
    middleware_enable_error_handling: bool = True
    middleware_mask_error_details: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Return the settings of this process.

        Args:
            environment: where to look; the process's own when not given.

        Raises:
            ConfigurationError: when a value is no number above zero, or zero where that stands for something, or none
                of those that there are; the message names the variable.
        """
        environment = os.environ if environment is None else environment
        given: dict[str, int | float | str] = {}
        for setting in fields(cls):
            variable = _VARIABLES.get(setting.name, PREFIX + setting.name.upper())
            if text := environment.get(variable, "").strip():
                given[setting.name] = _value(variable, text, setting.name, type(setting.default))
        return cls(**given)  # type: ignore[arg-type]


def _value(variable: str, text: str, name: str, kind: type) -> int | float | str:
    if kind is bool:
        return _SWITCHES[_one_of(variable, text.lower(), _SWITCHES)]
    if name in _CHOICES:
        return _one_of(variable, text.upper(), _CHOICES[name])
    return text if kind is str else _number(variable, text, kind, _ZEROS.get(name))


def _one_of(variable: str, text: str, choices: Collection[str]) -> str:
    if text not in choices:
        raise ConfigurationError(
            f"{variable} is {text!r}, but must be one of {', '.join(choices)}; correct or unset it."
        )
    return text


def _number(variable: str, text: str, kind: type, zero: str | None) -> int | float:
    try:
        value: int | float = int(text) if kind is int else float(text)
    except ValueError:
        value = -1
    if not (0 < value < float("inf") or (zero is not None and value == 0)):
        wanted = "a whole number" if kind is int else "a number"
        or_zero = "" if zero is None else f", or 0 for {zero}"
        raise ConfigurationError(
            f"{variable} is {text!r}, but must be {wanted} above zero{or_zero}; correct or unset it."
        )
    return value
