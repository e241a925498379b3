"""Settings: defaults, the environment, and values that make no sense."""

import pytest

from server_core.errors import ConfigurationError
from server_core.settings import Settings


def test_defaults_apply_where_nothing_is_set() -> None:
    assert Settings.from_environment({}) == Settings()
    assert Settings().max_message_bytes == 16 * 1024 * 1024


def test_the_environment_is_read_by_the_names_of_the_settings() -> None:
    found = Settings.from_environment({"WORKBENCH_MAX_MESSAGE_BYTES": "100", "WORKBENCH_REQUEST_TIMEOUT": "1.5"})
    assert (found.max_message_bytes, found.request_timeout) == (100, 1.5)


@pytest.mark.parametrize(
    ("variable", "value", "wanted"),
    [
        ("WORKBENCH_THREAD_COUNT", "many", "a whole number"),
        ("WORKBENCH_THREAD_COUNT", "0", "a whole number"),
        ("WORKBENCH_THREAD_COUNT", "1.5", "a whole number"),
        ("WORKBENCH_REQUEST_TIMEOUT", "-1", "a number"),
        ("WORKBENCH_REQUEST_TIMEOUT", "nan", "a number"),
        ("WORKBENCH_REQUEST_TIMEOUT", "inf", "a number"),
    ],
)
def test_an_invalid_value_is_reported_with_its_variable(variable: str, value: str, wanted: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{variable} is .* must be {wanted} above zero"):
        Settings.from_environment({variable: value})


def test_zero_is_a_value_only_where_it_means_never() -> None:
    assert Settings.from_environment({"WORKBENCH_IDLE_SECONDS": "0"}).idle_seconds == 0
    with pytest.raises(ConfigurationError, match="must be a number above zero, or 0 for never;"):
        Settings.from_environment({"WORKBENCH_IDLE_SECONDS": "-1"})


def test_switches_are_turned_by_the_usual_words() -> None:
    found = Settings.from_environment(
        {"MCP_MIDDLEWARE_ENABLE_LOGGING": "True", "MCP_MIDDLEWARE_ENABLE_ERROR_HANDLING": "off"}
    )
    assert (found.middleware_enable_logging, found.middleware_enable_error_handling) == (True, False)


@pytest.mark.parametrize("variable", ["MCP_MIDDLEWARE_ENABLE_LOGGING", "MCP_MIDDLEWARE_LOG_LEVEL"])
def test_an_invalid_switch_is_reported_with_its_variable(variable: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{variable} is .* but must be one of"):
        Settings.from_environment({variable: "loudly"})


def test_texts_are_unchanged() -> None:
    found = Settings.from_environment(
        {"WORKBENCH_EVENT_STORE": "/var/lib/events", "WORKBENCH_ALLOWED_HOSTS": "a.example.org, b.example.org"}
    )
    assert (found.event_store, found.allowed_hosts) == ("/var/lib/events", "a.example.org, b.example.org")
