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
    """A variable that a setting can be given by.

    Attributes:
        name: its name.
        low: the minimum of a number; None for any number above zero.
        high: the maximum of a number; None for no limit.
        scale: the factor that converts its number into the setting's own unit.
    """

    name: str
    low: float | None = None
    high: float | None = None
    scale: float = 1.0


class Facts(NamedTuple):
    """The properties of a setting besides its name and default.

    Attributes:
        meaning: its meaning, for people.
        kind: the type of its value.
        variables: Arcade's variables for it.
        low: the minimum of a number; None for any number above zero.
        high: the maximum of a number; None for no limit.
        zero: the meaning of zero, if zero is permitted besides; empty if it is not.
        choices: the permitted words; empty for any text.
        check: returns the normalised text; raises ValueError, perhaps with a reason, when it is invalid. None when any
            text is valid.
        wanted: describes a valid text, for people.
        is_secret: whether its value is hidden.
        is_file: whether it names a file, unless it has its default: a relative path in `.env` is relative to the folder
            of that file, elsewhere to the working directory.
    """

    meaning: str
    kind: type
    variables: tuple[Variable, ...] = ()
    low: float | None = None
    high: float | None = None
    zero: str = ""
    choices: tuple[str, ...] = ()
    check: Callable[[str], str] | None = None
    wanted: str = ""
    is_secret: bool = False
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
    wanted: str = "",
    is_secret: bool = False,
    is_file: bool = False,
) -> T:
    """Return a field of a dataclass of settings.

    Args:
        default: its default.
        meaning: its meaning, for people; see :class:`Facts` for the other parameters.
        variables: Arcade's variables for it.
        kind: the type of its value, if it is not that of the default.
    """
    named = tuple(Variable(name) if isinstance(name, str) else name for name in variables)
    facts = Facts(meaning, kind or type(default), named, low, high, zero, choices, check, wanted, is_secret, is_file)
    return field(default=default, repr=not is_secret, metadata={"facts": facts})


def facts_of(setting_field: "Field[Any]") -> Facts:
    """Return the properties of a field made by :func:`setting`."""
    facts: Facts = setting_field.metadata["facts"]
    return facts


def variables_of(setting_field: "Field[Any]") -> Iterator[Variable]:
    """Return the variables of a setting, in order of precedence."""
    facts = facts_of(setting_field)
    yield Variable(PREFIX + setting_field.name.upper(), facts.low, facts.high)
    yield from facts.variables
