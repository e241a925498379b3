"""Convert a text into the value of a setting, and check its limits.

The functions at the end check the texts of single settings. Each returns the normalised text, and raises ValueError
when it is invalid, with a reason if the description of the setting is not enough. They import what they need when they
are called, since most projects do not use these settings.
"""

import math
from collections.abc import Callable, Collection
from typing import TypeAlias, TypeVar

from server_core.errors import ConfigurationError
from server_core.settings.setting import SettingFacts, Variable

Value: TypeAlias = int | float | str | bool
T = TypeVar("T")

MAX_SHOWN = 60
_SWITCHES = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def read_value(text: str, facts: SettingFacts, variable: Variable, place: str) -> Value:
    """Return the value of a text; ConfigurationError names its place if it is not within the limits."""
    if facts.kind is bool:
        return _SWITCHES[_choice(text, text.lower(), _SWITCHES, variable, place)]
    if facts.choices:
        known = {choice.lower(): choice for choice in facts.choices}
        return known[_choice(text, text.lower(), known, variable, place)]
    if facts.kind is str:
        return _checked(text, facts, variable, place)
    value = _number(text, facts, variable)
    if value is None:
        raise _invalid(text, describe_limits(facts, variable), variable, place)
    scaled = value * variable.scale if variable.scale != 1.0 else value
    return float(scaled) if facts.kind is float else scaled


def describe_limits(facts: SettingFacts, variable: Variable) -> str:
    """Describe the permitted values, for people; empty for any text."""
    if facts.kind is bool:
        return "true or false"
    if facts.choices:
        return f"one of {', '.join(facts.choices)}"
    if facts.kind is str:
        return facts.requirement
    number = "a whole number" if facts.kind is int else "a number"
    if variable.low is not None and variable.high is not None:
        return f"{number} from {variable.low:g} to {variable.high:g}"
    if variable.low is not None:
        return f"{number} of at least {variable.low}"
    or_zero = f", or 0 for {facts.zero}" if facts.zero else ""
    return f"{number} above zero{or_zero}"


def _number(text: str, facts: SettingFacts, variable: Variable) -> int | float | None:
    try:
        value: int | float = int(text) if facts.kind is int else float(text)
    except ValueError:  # Python raises it for integers of thousands of digits, too.
        return None
    if not math.isfinite(value):
        return None
    if variable.low is not None:
        return value if variable.low <= value <= (variable.high or math.inf) else None
    return value if value > 0 or (facts.zero and value == 0) else None


def _checked(text: str, facts: SettingFacts, variable: Variable, place: str) -> str:
    if facts.check is None:
        return text
    try:
        return facts.check(text)
    except ValueError as error:
        reason = f" ({error})" if str(error) else ""
        raise _invalid(text, f"{facts.requirement}{reason}", variable, place) from None


def _choice(text: str, choice: str, known: Collection[str], variable: Variable, place: str) -> str:
    if choice not in known:
        raise _invalid(text, f"one of {', '.join(known)}", variable, place)
    return choice


def _invalid(text: str, requirement: str, variable: Variable, place: str) -> ConfigurationError:
    excerpt = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
    return ConfigurationError(
        f"{variable.name} is {excerpt!r} in {place}, but must be {requirement}; correct or remove it there."
    )


def version_text(text: str) -> str:
    from server_core.catalog.identity import checked_version

    return _checked_text(checked_version, text)


def canonical_url_text(text: str) -> str:
    from server_core.resource_server.canonical_url import check_canonical_url

    return _checked_text(check_canonical_url, text)


def authorization_servers_text(text: str) -> str:
    from server_core.resource_server.accepted_servers import parse_entries

    parse_entries(text)
    return text


def scopes_text(text: str) -> str:
    from server_core.resource_server.www_authenticate import check_scopes

    _checked_text(check_scopes, text.split())
    return text


def _checked_text(check: Callable[[T], object], value: T) -> str:
    try:
        return str(check(value))
    except ValueError:
        # The message is about an argument; the setting has its own description.
        raise ValueError from None
