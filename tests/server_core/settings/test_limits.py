"""The limits of settings by kind: valid texts with their values, invalid texts with their error messages.

Names, defaults and limits of every setting are in docs/settings.md, which a test compares with the code.
"""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from server_core.errors import ConfigurationError
from server_core.settings import Settings
from server_core.settings.description import describe
from server_core.settings.setting import variables_of
from server_core.settings.sources import read_settings

pytestmark = pytest.mark.promises("settings", "environment variables")

SETTING_OF = {variable.name: item.name for item in fields(Settings) for variable in variables_of(item)}
SWITCHES = {"true": True, "1": True, "YES": True, "On": True, "false": False, "0": False, "no": False, "off": False}
SERVER = {name: f"https://as.example.com/{name}" for name in ("authorization_server_url", "issuer", "jwks_uri")}
NO_NUMBERS = ["many", "nan", "inf", "-inf", "1e999", "9" * 5000, "0x10", "1 2", "1,000"]


class Kind(NamedTuple):
    """A kind of setting, by a variable of this kind."""

    variable: str
    requirement: str  # How the message describes a valid text; empty if every text is valid.
    valid: dict[str, Any]  # Text -> its value.
    invalid: dict[str, str]  # Text -> the reason in the message, if there is one besides the requirement.


def number(variable: str, requirement: str, valid: dict[str, float], *invalid: str) -> Kind:
    return Kind(variable, requirement, valid, dict.fromkeys([*invalid, *NO_NUMBERS], ""))


KINDS = [
    Kind("WORKBENCH_SERVER_TITLE", "", {"a, b": "a, b", "é ✓": "é ✓", "  stripped\t": "stripped"}, {}),
    Kind("WORKBENCH_EVENT_STORE", "", {"/var/a.db": "/var/a.db", "memory": "memory"}, {}),
    Kind(
        "WORKBENCH_OTEL_ENABLE",
        "one of true, 1, yes, on, false, 0, no, off",
        SWITCHES,
        dict.fromkeys(("2", "maybe", "truee", "-"), ""),
    ),
    Kind("WORKBENCH_SERVER_RELOAD", "one of true, 1, yes, on, false, 0, no, off", SWITCHES, {"maybe": ""}),
    Kind(
        "MCP_MIDDLEWARE_LOG_LEVEL",
        "one of debug, info, warning, error, critical",
        {"ERROR": "ERROR", "error": "ERROR", "eRROR": "ERROR"},
        {"DEBUGx": "", "-": ""},
    ),
    number("WORKBENCH_SERVER_PORT", "a whole number from 0 to 65535", {"0": 0, "65535": 65535}, "-1", "65536", "1.5"),
    number("WORKBENCH_MAX_CALLS", "a whole number above zero", {"1": 1, "7": 7, "100000": 10**5}, "-1", "0", "1.5"),
    number(
        "WORKBENCH_CAPTURE_QUEUE_BYTES",
        "a whole number of at least 1048576",
        {"1048576": 1048576, "99999999999": 99999999999},
        "1048575",
        "0",
        "-1",
    ),
    number(
        "WORKBENCH_CHANGES_PER_MINUTE", "a whole number above zero, or 0 for no limit", {"0": 0, "7": 7}, "-1", "1e3"
    ),
    number("WORKBENCH_REQUEST_TIMEOUT", "a number above zero", {"1": 1.0, "0.5": 0.5, "1e3": 1000.0}, "0", "-0.1"),
    number("WORKBENCH_IDLE_SECONDS", "a number above zero, or 0 for never", {"0": 0.0, "0.5": 0.5}, "-0.1"),
    number(
        "MCP_TRANSPORT_CLEANUP_INTERVAL_SECONDS",
        "a number from 1 to 60",
        {"1": 1.0, "1.5": 1.5, "60": 60.0},
        *("0", "61", "60.00000000000001"),
    ),
    number(
        "MCP_NOTIFICATION_DEFAULT_DEBOUNCE_MS",
        "a number from 0 to 10000",
        {"0": 0.0, "0.5": 0.0005, "10000": 10.0},
        *("-1", "10001"),
    ),
    Kind(
        "MCP_SERVER_VERSION",
        "a semantic version like 1.2.3 or 1.2.3-beta.1",
        {"1": "1.0.0", "v2.5": "2.5.0", "1.2.3": "1.2.3", "1.2.3-beta.1+7": "1.2.3-beta.1+7"},
        dict.fromkeys(("banana", "1.2.3.4", "01.2.3", "1.2-beta", "1.0.dev1", "v", "9" * 5000 + "x"), ""),
    ),
    Kind(
        "MCP_RESOURCE_SERVER_CANONICAL_URL",
        "a URL such as https://mcp.example.com/mcp, without a fragment; http only on this machine",
        {url: url for url in ("https://mcp.example.com/mcp", "http://127.0.0.1:8000/mcp")},
        dict.fromkeys(("hello world", "http://mcp.example.com", "https://mcp.example.com/#a", "mcp.example.com"), ""),
    ),
    Kind(
        "MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS",
        "a JSON array of authorization servers",
        {
            text: text
            for text in (json.dumps([SERVER]), json.dumps([SERVER, SERVER | {"issuer": "https://b.example.com"}]))
        },
        {
            "https://as.example.com": "Invalid JSON",
            '{"issuer": 1}': "array",
            json.dumps([{"issuer": "https://a.example"}]): "0.authorizationServerUrl",
            json.dumps([SERVER | {"jwks": "https://as.example.com"}]): "0.jwks",
        },
    ),
    Kind(
        "MCP_RESOURCE_SERVER_SCOPES_SUPPORTED",
        "scopes of printable ASCII without quotes and backslashes",
        {scopes: scopes for scopes in ("read", "read  write:all")},
        dict.fromkeys(('read "write"', "read\\", "é"), ""),
    ),
]
EACH = pytest.mark.parametrize("kind", KINDS, ids=[kind.variable for kind in KINDS])


@EACH
def test_a_valid_text_becomes_a_value_of_the_type_of_the_setting(kind: Kind) -> None:
    for text, value in kind.valid.items():
        actual = getattr(read_settings(environment={kind.variable: text}).settings, SETTING_OF[kind.variable])
        assert (actual, type(actual)) == (value, type(value))


@EACH
def test_an_invalid_text_is_refused_with_its_variable_place_and_limits(kind: Kind, tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    for text, reason in kind.invalid.items():
        shown = text if len(text) <= 60 else f"{text[:60]}…"
        env_file.write_text(f"# first\n{kind.variable}='{text.replace(chr(92), chr(92) * 2)}'\n")
        for path, environment, place in (
            (None, {kind.variable: text}, "the environment"),
            (tmp_path, {}, f"{env_file}, line 2"),
        ):
            with pytest.raises(ConfigurationError) as caught:
                read_settings(path, environment)
            message = str(caught.value)
            assert message.startswith(f"{kind.variable} is {shown!r} in {place}, but must be {kind.requirement}")
            rest = message.partition(kind.requirement)[2].removesuffix("; correct or remove it there.")
            assert rest == "" if not reason else rest.startswith(" (") and rest.endswith(")") and reason in rest


def test_an_empty_variable_counts_as_not_set() -> None:
    for text in ("", "   "):
        assert read_settings(environment=dict.fromkeys(SETTING_OF, text)).settings == Settings()


def test_a_setting_without_a_value_is_described_with_its_default_and_every_name(tmp_path: Path) -> None:
    for item, described in zip(fields(Settings), describe(tmp_path, {}), strict=True):
        default = item.default
        assert (described.name, described.value, described.default) == (item.name, default, default)
        assert (described.place.source, described.unused) == ("default", ())
        assert [*described.names] == [variable.name for variable in variables_of(item)]


@EACH
def test_the_place_of_a_value_is_described(kind: Kind, tmp_path: Path) -> None:
    name, variable = SETTING_OF[kind.variable], kind.variable
    text = next(text for text, value in kind.valid.items() if value != getattr(Settings(), name))
    env_file = tmp_path / ".env"
    env_file.write_text(f"\nexport {variable}='{text}'\n")

    def places(environment: dict[str, str], flags: dict[str, tuple[str, str]] | None = None) -> list[str]:
        (described,) = [item for item in describe(tmp_path, environment, flags) if item.name == name]
        return [f"{place.variable} in {place}" for place in (described.place, *described.unused)]

    in_file = f"{variable} in {env_file}, line 2"
    in_environment = f"{variable} in the environment"
    assert places({}) == [in_file]
    assert places({variable: text}) == [in_environment, in_file]
    assert places({variable: text}, {name: ("--flag", text)}) == ["--flag in the command line", in_environment, in_file]
