"""Each row of the table of settings: its names, its default, its limits, and where its value comes from."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from server_core.errors import ConfigurationError
from server_core.settings import Settings
from server_core.settings.description import describe
from server_core.settings.sources import read

pytestmark = pytest.mark.promises("settings", "environment variables")

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
SWITCHES = {"true": True, "1": True, "YES": True, "On": True, "false": False, "0": False, "no": False, "off": False}


@dataclass(frozen=True)
class Text:
    """Any text."""

    def inside(self) -> dict[str, Any]:
        return {"a, b": "a, b", "é ✓": "é ✓", "  stripped\t": "stripped"}

    def outside(self) -> list[str]:
        return []

    said = ""


@dataclass(frozen=True)
class File:
    """A file, as seen from the working directory, or the memory."""

    def inside(self) -> dict[str, Any]:
        return {"a b.db": str(Path.cwd() / "a b.db"), "/var/a.db": "/var/a.db", "memory": "memory"}

    def outside(self) -> list[str]:
        return []

    said = ""


@dataclass(frozen=True)
class Checked:
    """A text that has to be something: what is taken, and as what; what is not, and why, where that is told."""

    said: str
    taken: dict[str, str]
    refused: dict[str, str]

    def inside(self) -> dict[str, Any]:
        return self.taken

    def outside(self) -> list[str]:
        return [*self.refused]


@dataclass(frozen=True)
class Switch:
    """On or off."""

    def inside(self) -> dict[str, Any]:
        return SWITCHES

    def outside(self) -> list[str]:
        return ["2", "maybe", "truee", "-"]

    said = "one of true, 1, yes, on, false, 0, no, off"


@dataclass(frozen=True)
class Choice:
    """One of some words, in whatever case."""

    words: tuple[str, ...]

    def inside(self) -> dict[str, Any]:
        return {word: word for word in self.words} | {word.swapcase(): word for word in self.words}

    def outside(self) -> list[str]:
        return [f"{self.words[0]}x", "-"]

    @property
    def said(self) -> str:
        return f"one of {', '.join(word.lower() for word in self.words)}"


@dataclass(frozen=True)
class Number:
    """A number: from `low` to `high`, or any above zero; `zero` is what 0 means, where it may be that as well."""

    low: int | None = None
    high: int | None = None
    zero: str = ""
    whole: bool = True
    scale: float = 1

    def inside(self) -> dict[str, Any]:
        texts = ["1", "7", "100000"] if self.low is None else [str(self.low), str(self.high), str(self.low + 1)]
        texts += ["0"] if self.zero else []
        texts += [] if self.whole else ["0.5", "1e3"] if self.low is None else [f"{self.low}.5"]
        return {text: float(text) * self.scale for text in texts}

    def outside(self) -> list[str]:
        beyond = (
            ["-1", "" if self.zero else "0"] if self.low is None else [str(self.low - 1), str((self.high or 0) + 1)]
        )
        beyond += (
            ["1.5", "1e3"] if self.whole else [str(math.nextafter(self.high, math.inf))] if self.high else ["-0.1"]
        )
        return [*filter(None, beyond), "many", "nan", "inf", "-inf", "1e999", "9" * 5000, "0x10", "1 2", "1,000"]

    @property
    def said(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.low is not None:
            return f"{kind} from {self.low} to {self.high}"
        return f"{kind} above zero" + (f", or 0 for {self.zero}" if self.zero else "")


Limits = Text | File | Checked | Switch | Choice | Number
TEXT, SWITCH, COUNT, SECONDS = Text(), Switch(), Number(), Number(whole=False)


VERSION = Checked(
    "a semantic version like 1.2.3 or 1.2.3-beta.1",
    {"1": "1.0.0", "v2.5": "2.5.0", "1.2.3": "1.2.3", "1.2.3-beta.1+7": "1.2.3-beta.1+7"},
    dict.fromkeys(("banana", "1.2.3.4", "01.2.3", "1.2-beta", "1.0.dev1", "v", "9" * 5000 + "x"), ""),
)
ADDRESS = Checked(
    "an address like https://mcp.example.com/mcp, with https unless it is of this machine, and no fragment",
    {one: one for one in ("https://mcp.example.com/mcp", "http://127.0.0.1:8000/mcp")},
    dict.fromkeys(("hello world", "http://mcp.example.com", "https://mcp.example.com/#a", "mcp.example.com"), ""),
)
SERVER = {name: f"https://as.example.com/{name}" for name in ("authorization_server_url", "issuer", "jwks_uri")}
SERVERS = Checked(
    "a JSON array of authorization servers",
    {text: text for text in (json.dumps([SERVER]), json.dumps([SERVER, SERVER | {"issuer": "https://b.example.com"}]))},
    {
        "https://as.example.com": "Invalid JSON",
        '{"issuer": 1}': "array",
        json.dumps([{"issuer": "https://a.example"}]): "0.authorizationServerUrl",
        json.dumps([SERVER | {"jwks": "https://as.example.com"}]): "0.jwks",
    },
)
SCOPES = Checked(
    "scopes of printable ASCII without quotes and backslashes",
    {one: one for one in ("read", "read  write:all")},
    dict.fromkeys(('read "write"', "read\\", "é"), ""),
)


def seconds(zero: str) -> Number:
    return Number(whole=False, zero=zero)


# Name -> its default, the limits of our own variable, and Arcade's variables with theirs, where those differ.
TABLE: dict[str, tuple[Any, Limits, dict[str, Limits | None]]] = {
    "server_name": ("", TEXT, {"MCP_SERVER_NAME": None, "ARCADE_MCP_SERVER_NAME": None}),
    "server_version": ("", VERSION, {"MCP_SERVER_VERSION": None, "ARCADE_MCP_SERVER_VERSION": None}),
    "server_title": ("", TEXT, {"MCP_SERVER_TITLE": None, "ARCADE_MCP_SERVER_TITLE": None}),
    "server_instructions": ("", TEXT, {"MCP_SERVER_INSTRUCTIONS": None, "ARCADE_MCP_SERVER_INSTRUCTIONS": None}),
    "environment": ("dev", TEXT, {"ARCADE_ENVIRONMENT": None}),
    "user_id": ("", TEXT, {"ARCADE_USER_ID": None}),
    "debug": (False, SWITCH, {"MCP_DEBUG": None, "ARCADE_MCP_DEBUG": None}),
    "tool_name_separator": (".", TEXT, {"ARCADE_TOOL_NAME_SEPARATOR": None}),
    "disabled_tools": ("", TEXT, {"ARCADE_DISABLED_TOOLS": None}),
    "disabled_toolkits": ("", TEXT, {"ARCADE_DISABLED_TOOLKITS": None}),
    "toolkit": ("", TEXT, {}),
    "tool_package": ("", TEXT, {"ARCADE_MCP_TOOL_PACKAGE": None}),
    "discover_installed": (False, SWITCH, {"ARCADE_MCP_DISCOVER_INSTALLED": None}),
    "show_packages": (False, SWITCH, {"ARCADE_MCP_SHOW_PACKAGES": None}),
    "server_transport": (
        "",
        Choice(("stdio", "http", "streamable-http", "streamable")),
        {"ARCADE_SERVER_TRANSPORT": None},
    ),
    "server_host": ("", TEXT, {"ARCADE_SERVER_HOST": None}),
    "server_port": (None, Number(0, 65535), {"ARCADE_SERVER_PORT": None}),
    "server_reload": (None, SWITCH, {"ARCADE_SERVER_RELOAD": None}),
    "otel_enable": (False, SWITCH, {"ARCADE_MCP_OTEL_ENABLE": None}),
    "open_secrets": (False, SWITCH, {}),
    "auth": ("broker", Choice(("broker", "mock")), {}),
    "auth_port": (8975, Number(1, 65535), {}),
    "max_message_bytes": (16777216, COUNT, {}),
    "request_timeout": (60.0, SECONDS, {}),
    "thread_count": (32, COUNT, {}),
    "max_calls": (1000, COUNT, {}),
    "max_batch": (100, COUNT, {}),
    "max_queued_messages": (1000, COUNT, {"MCP_TRANSPORT_MAX_QUEUE_SIZE": Number(10, 10000)}),
    "page_size": (250, COUNT, {}),
    "list_ttl_seconds": (0.0, seconds("not at all"), {}),
    "max_sessions": (1000, COUNT, {"MCP_TRANSPORT_MAX_SESSIONS": Number(1, 10000)}),
    "session_idle_timeout": (
        1800.0,
        SECONDS,
        {"MCP_TRANSPORT_SESSION_TIMEOUT_SECONDS": Number(30, 3600, whole=False)},
    ),
    "cleanup_interval": (
        0.0,
        seconds("ten times in session_idle_timeout"),
        {"MCP_TRANSPORT_CLEANUP_INTERVAL_SECONDS": Number(1, 60, whole=False)},
    ),
    "event_store": ("memory", File(), {}),
    "allowed_hosts": ("", TEXT, {}),
    "allowed_origins": ("", TEXT, {"MCP_TRANSPORT_ALLOWED_ORIGINS": None}),
    "resource_server_canonical_url": ("", ADDRESS, {"MCP_RESOURCE_SERVER_CANONICAL_URL": None}),
    "resource_server_authorization_servers": ("", SERVERS, {"MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS": None}),
    "resource_server_scopes_supported": ("", SCOPES, {"MCP_RESOURCE_SERVER_SCOPES_SUPPORTED": None}),
    "resource_server_default_challenge_scopes": ("", SCOPES, {"MCP_RESOURCE_SERVER_DEFAULT_CHALLENGE_SCOPES": None}),
    "body_timeout": (30.0, SECONDS, {}),
    "shutdown_grace": (5.0, SECONDS, {"ARCADE_UVICORN_TIMEOUT_GRACEFUL_SHUTDOWN": None}),
    "idle_seconds": (1800.0, seconds("never"), {}),
    "list_changed_delay": (
        0.1,
        seconds("not at all"),
        {"MCP_NOTIFICATION_DEFAULT_DEBOUNCE_MS": Number(0, 10000, whole=False, scale=0.001)},
    ),
    "changes_per_minute": (
        60,
        Number(zero="no limit"),
        {"MCP_NOTIFICATION_RATE_LIMIT_PER_MINUTE": Number(1, 1000)},
    ),
    "max_queued_changes": (1000, COUNT, {"MCP_NOTIFICATION_MAX_QUEUED_NOTIFICATIONS": Number(10, 10000)}),
    "max_listeners": (1000, COUNT, {}),
    "input_seconds": (900.0, SECONDS, {}),
    "max_waiting_calls": (1000, COUNT, {}),
    "state_key": ("", TEXT, {}),
    "task_store": ("memory", File(), {}),
    "max_tasks": (100, COUNT, {}),
    "task_ttl": (3600.0, SECONDS, {}),
    "max_task_ttl": (86400.0, seconds("no limit"), {}),
    "capture_queue_bytes": (67108864, COUNT, {}),
    "max_capture_bytes": (536870912, COUNT, {}),
    "max_captures": (1000, COUNT, {}),
    "max_captures_bytes": (2147483648, COUNT, {}),
    "middleware_enable_logging": (False, SWITCH, {"MCP_MIDDLEWARE_ENABLE_LOGGING": None}),
    "middleware_log_level": ("INFO", Choice(LEVELS), {"MCP_MIDDLEWARE_LOG_LEVEL": None}),
    "middleware_enable_error_handling": (True, SWITCH, {"MCP_MIDDLEWARE_ENABLE_ERROR_HANDLING": None}),
    "middleware_mask_error_details": (False, SWITCH, {"MCP_MIDDLEWARE_MASK_ERROR_DETAILS": None}),
}


def named() -> Iterator[tuple[str, str, Limits]]:
    """Every setting by each of its names, with the limits of that."""
    for name, (_, limits, of_arcade) in TABLE.items():
        yield name, f"WORKBENCH_{name.upper()}", limits
        for variable, others in of_arcade.items():
            yield name, variable, others or limits


EACH = pytest.mark.parametrize(("name", "variable", "limits"), [*named()], ids=[one[1] for one in named()])


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder / ".env"


def test_this_table_has_every_setting_and_no_other() -> None:
    assert [*TABLE] == [one.name for one in fields(Settings)]


@pytest.mark.parametrize("name", TABLE)
def test_a_setting_has_its_default(name: str, tmp_path: Path) -> None:
    (one,) = [one for one in describe(tmp_path, {}) if one.name == name]
    assert (one.value, one.default, one.place.source, one.unused) == (TABLE[name][0], TABLE[name][0], "default", ())
    assert [*one.names] == [variable for setting, variable, _ in named() if setting == name]


@EACH
def test_a_value_within_the_limits_is_accepted_by_every_name(name: str, variable: str, limits: Limits) -> None:
    for text, value in limits.inside().items():
        taken = getattr(read(environment={variable: text}).settings, name)
        assert taken == value
        default = TABLE[name][0]
        assert default is None or type(taken) is type(default)


@EACH
def test_a_value_beyond_them_is_refused_with_the_variable_its_place_and_the_limits(
    name: str, variable: str, limits: Limits, env_file: Path
) -> None:
    for text in limits.outside():
        shown = text if len(text) <= 60 else f"{text[:60]}…"
        env_file.write_text(f"# first\n{variable}='{text.replace(chr(92), chr(92) * 2)}'\n")
        for path, environment, place in (
            (None, {variable: text}, "the environment"),
            (env_file.parent, {}, f"{env_file}, line 2"),
        ):
            with pytest.raises(ConfigurationError) as caught:
                read(path, environment)
            told = str(caught.value)
            assert told.startswith(f"{variable} is {shown!r} in {place}, but must be {limits.said}")
            rest = told.partition(limits.said)[2].removesuffix("; correct it there, or take it out.")
            reason = limits.refused[text] if isinstance(limits, Checked) else ""
            assert rest == "" if not reason else rest.startswith(" (") and rest.endswith(")") and reason in rest


@EACH
def test_a_variable_that_is_set_to_nothing_is_not_set(name: str, variable: str, limits: Limits) -> None:
    for text in ("", "   "):
        assert read(environment={variable: text}).settings == Settings()


def _some(limits: Limits, name: str) -> str:
    """A text that stands for another value than the default."""
    return next(text for text, value in limits.inside().items() if value != TABLE[name][0])


@EACH
def test_the_place_of_a_value_is_described(name: str, variable: str, limits: Limits, env_file: Path) -> None:
    text = _some(limits, name)
    env_file.write_text(f"\nexport {variable}='{text}'\n")

    def told(environment: dict[str, str], flags: dict[str, tuple[str, str]] | None = None) -> list[str]:
        (one,) = [one for one in describe(env_file.parent, environment, flags) if one.name == name]
        return [f"{place.variable} in {place}" for place in (one.place, *one.unused)]

    in_file = f"{variable} in {env_file}, line 2"
    in_environment = f"{variable} in the environment"
    assert told({}) == [in_file]
    assert told({variable: text}) == [in_environment, in_file]
    assert told({variable: text}, {name: ("--flag", text)}) == ["--flag in the command line", in_environment, in_file]
