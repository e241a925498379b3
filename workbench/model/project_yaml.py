"""The tables of `workbench.yaml`: their names, and how the entries of one of them are read.

A mistake is described with its line, and all other entries are used.
"""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from server_core.runtime.suggestions import closest_name
from workbench.model.short_text import escaped
from workbench.model.yaml_text import Mapping, Scalar, YamlMistake, YamlValue, json_value, parse_yaml

CALLS = "calls"
RULES = "rules"
PERSONAS = "personas"
TABLES = (CALLS, RULES, PERSONAS)
_LISTED = f"{CALLS}, {RULES} and {PERSONAS}"
MAX_NAME = 100

T = TypeVar("T")


def read_table(text: str, table: str, read: Callable[[str, YamlValue], T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """Return the entries of one table of a text, in its order, and the mistakes in it.

    Args:
        read: returns the entry with a name; YamlMistake if its value is none.
    """
    if not text.strip():
        return (), ()
    document, problems = parse_yaml(text, table)
    if document is None:
        return (), tuple(problems)
    if not isinstance(document, Mapping):
        return (), (*problems, f"line {document.line}: the file must be a mapping with {_LISTED}")
    for name, member in document.members.items():
        if name not in TABLES:
            problems.append(f"line {member.line}: there is no setting {escaped(name)}; the file has only {_LISTED}")
    value = document.members.get(table)
    if value is None or is_empty(value):
        return (), tuple(problems)
    if not isinstance(value, Mapping):
        return (), (*problems, f"line {value.line}: {table} must be a mapping of names to {table}")
    entries = []
    for name, member in value.members.items():
        try:
            if (problem := problem_of_name(name)) is not None:
                raise YamlMistake(member.line, problem)
            entries.append(read(name, member))
        except YamlMistake as mistake:
            problems.append(f"line {mistake.line}: {escaped(name)}: {mistake}")
    return tuple(entries), tuple(problems)


def problem_of_name(name: str) -> str | None:
    """Return why an entry cannot have this name; None if it can."""
    if not name.strip():
        return "Enter a name, or press Esc."
    if name != name.strip() or len(name) > MAX_NAME or not name.isprintable():
        return f"A name has at most {MAX_NAME} printable characters, and no space at its ends."
    return None


def is_empty(value: YamlValue) -> bool:
    return isinstance(value, Scalar) and value.value is None


def check_members(value: Mapping, members: Collection[str], entry: str) -> None:
    """Raise a YamlMistake for a member that an entry, such as "a call", does not have."""
    for name, content in value.members.items():
        if name not in members:
            close = closest_name(name, members)
            guess = f"; did you mean {close}?" if close else f"; {entry} has {', '.join(members)}"
            raise YamlMistake(content.line, f"there is no {escaped(name)}{guess}")


def only_member(value: Mapping, names: Collection[str]) -> str:
    """Return which of these members a mapping has; YamlMistake unless it has exactly one of them."""
    given = [name for name in names if name in value.members]
    if len(given) != 1:
        raise YamlMistake(value.line, f"write exactly one of {', '.join(names)}")
    return given[0]


def text_of(value: YamlValue, name: str) -> str:
    """Return the text of a member that has to be one, and not empty."""
    if not isinstance(value, Scalar) or not isinstance(value.value, str) or not value.value:
        raise YamlMistake(value.line, f"{name} must be a text")
    return value.value


def object_of(value: YamlValue, name: str, contents: str) -> dict[str, Any]:
    """Return the members of a value that has to be a mapping, or empty."""
    if is_empty(value):
        return {}
    if not isinstance(value, Mapping):
        raise YamlMistake(value.line, f"{name} must be a mapping of {contents}")
    members: dict[str, Any] = json_value(value)
    return members
