"""The definition of a setting: its names, limits and meaning, beside its default in a dataclass.

Rule: every setting has a variable `WORKBENCH_` and its name in capitals; settings that Arcade has as well also have
Arcade's variable, with Arcade's unit and limits. If both are given in the same place, `WORKBENCH_` wins.
"""

from collections.abc import Callable, Iterator
from dataclasses import Field, field
from typing import Any, NamedTuple, TypeVar

PREFIX = "WORKBENCH_"

T = TypeVar("T")


class Variable(NamedTuple):
    """A variable that a setting can be given by."""

    name: str
    low: float | None = None  # The minimum of a number; None for any number above zero.
    high: float | None = None  # The maximum of a number; None for no limit.
    scale: float = 1.0  # The factor that converts its number into the unit of the setting.


class SettingFacts(NamedTuple):
    meaning: str  # For people.
    kind: type  # Of its value.
    variables: tuple[Variable, ...] = ()  # Arcade's variables for it.
    low: float | None = None  # The minimum of a number; None for any number above zero.
    high: float | None = None  # The maximum of a number; None for no limit.
    zero: str = ""  # The meaning of zero, if zero is permitted besides; empty if it is not.
    choices: tuple[str, ...] = ()  # The permitted words; empty for any text.
    # Returns the normalised text; raises ValueError, perhaps with a reason. None if any text is valid.
    check: Callable[[str], str] | None = None
    requirement: str = ""  # Describes a valid text, for people.
    is_secret: bool = False
    # Whether it names a file, unless it has its default. A relative path in `.env` is relative to the folder of that
    # file, elsewhere to the working directory.
    is_file: bool = False


def setting(
    default: T,
    meaning: str,
    *variables: Variable | str,
    kind: type | None = None,
    low: float | None = None,
    high: float | None = None,
    zero: str = "",
    choices: tuple[str, ...] = (),
    check: Callable[[str], str] | None = None,
    requirement: str = "",
    is_secret: bool = False,
    is_file: bool = False,
) -> T:
    """Return a field of settings, as in :class:`SettingFacts`; `kind` only if not the type of the default."""
    of_arcade = tuple(Variable(name) if isinstance(name, str) else name for name in variables)
    facts = SettingFacts(
        meaning, kind or type(default), of_arcade, low, high, zero, choices, check, requirement, is_secret, is_file
    )
    return field(default=default, repr=not is_secret, metadata={"facts": facts})


def facts_of(setting_field: "Field[Any]") -> SettingFacts:
    """Return the properties of a field that :func:`setting` has made."""
    facts: SettingFacts = setting_field.metadata["facts"]
    return facts


def variables_of(setting_field: "Field[Any]") -> Iterator[Variable]:
    """Return the variables of a setting, in order of precedence."""
    facts = facts_of(setting_field)
    yield Variable(PREFIX + setting_field.name.upper(), facts.low, facts.high)
    yield from facts.variables
