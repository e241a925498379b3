"""What one setting is: its names, its limits and what it means, beside its default in a dataclass.

Rule: every setting has a name of ours, `WORKBENCH_` and its own in capitals; those that Arcade has as well also go by
Arcade's name, with Arcade's unit and limits. Ours counts where both are given in the same place.
"""

from collections.abc import Callable, Iterator
from dataclasses import Field, field
from typing import Any, NamedTuple, TypeVar

PREFIX = "WORKBENCH_"

T = TypeVar("T")


class Variable(NamedTuple):
    """A name under which a setting can be given.

    Attributes:
        name: of the variable.
        low: the least that a number may be; None for anything above zero.
        high: the most; None for no limit.
        scale: what its number is multiplied by to give the setting's own unit.
    """

    name: str
    low: float | None = None
    high: float | None = None
    scale: float = 1.0


class Facts(NamedTuple):
    """What is known of a setting besides its name and default.

    Attributes:
        meaning: what it is, as people read it.
        kind: the type of its value.
        variables: the names that Arcade has for it.
        low: the least that a number may be; None for anything above zero.
        high: the most; None for no limit.
        zero: what zero stands for, where it may be that besides; empty where it may not.
        choices: the words that it may be; empty for any.
        check: returns a text as it is meant; raises ValueError, perhaps with a reason, where it cannot be meant. None
            where any text will do.
        wanted: what such a text has to be, as people read it.
        is_secret: whether its value is shown to nobody.
        is_file: whether it names a file, where it is not its default: a relative one in `.env` is seen from the folder
            of that file, elsewhere from the working directory.
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
        default: its value where none is given.
        variables: Arcade's names for it.
        kind: the type of its value, where the default does not say.
        meaning: see :class:`Facts`, as for the rest.
    """
    named = tuple(Variable(name) if isinstance(name, str) else name for name in variables)
    facts = Facts(meaning, kind or type(default), named, low, high, zero, choices, check, wanted, is_secret, is_file)
    return field(default=default, repr=not is_secret, metadata={"facts": facts})


def facts_of(setting_field: "Field[Any]") -> Facts:
    """Return what is known of a field that :func:`setting` made."""
    facts: Facts = setting_field.metadata["facts"]
    return facts


def variables_of(setting_field: "Field[Any]") -> Iterator[Variable]:
    """Return the names of a setting, the one that counts most first."""
    facts = facts_of(setting_field)
    yield Variable(PREFIX + setting_field.name.upper(), facts.low, facts.high)
    yield from facts.variables
