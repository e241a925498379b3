"""The filters that a user has saved under names, in the configuration file; `@name` stands for one in a filter."""

from collections.abc import Mapping
from pathlib import Path

from server_core.errors import ConfigurationError
from workbench.model.traffic.filter import Filter, parse_filter
from workbench.model.traffic.filter_parser import NO_FILTERS
from workbench.model.traffic.filter_tokens import FilterError
from workbench.workspace.config_file import read_config, write_setting


def read_filters(text: str) -> Mapping[str, str]:
    """Return the saved filters by name; none, without reading the file, if a filter's text can name none."""
    return read_config().filters if "@" in text else NO_FILTERS


def read_filter(text: str) -> Filter:
    """Return the filter of a text that may name saved ones; FilterError if it is none."""
    return parse_filter(text, read_filters(text))


def written_out(text: str) -> str:
    """Return a filter in which the saved ones are written out, for a core, which does not know them.

    Raises:
        ConfigurationError: when a filter with a saved one is invalid.
    """
    if not read_filters(text):
        return text
    try:
        return read_filter(text).text
    except FilterError as error:
        raise ConfigurationError(f"The filter is invalid: {error}") from error


def save_filter(name: str, filter: Filter) -> Path:
    """Save a filter under a name, and return the path of the file; ConfigurationError if it cannot be written."""
    return write_setting(f"filters.{name}", filter.text)
