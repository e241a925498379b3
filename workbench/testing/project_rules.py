"""The rules and personas of `workbench.yaml` in a test, where a mistake in the file fails the test."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.runtime.suggestions import closest_name
from workbench.model.personas import Persona, parse_personas
from workbench.model.rules.answer_rule import AnswerRule
from workbench.model.rules.rules_text import parse_rules

_FILE = "workbench.yaml"


def find_persona(target: object, name: str) -> Persona:
    """Return a persona; ConfigurationError if there is none of this name, in the table or beside the target."""
    __tracebackhide__ = True
    folder = Path.cwd() if not isinstance(target, Path) else target if target.is_dir() else target.parent
    path = folder / _FILE
    personas = parse_personas(path.read_text("utf-8-sig") if path.is_file() else "")
    try:
        return personas.find(name)
    except ValueError as error:
        problems = "".join(f"; {path}: {problem}" for problem in personas.problems)
        raise ConfigurationError(f"{error}{problems}") from None


def read_rules(folder: Path, names: bool | Sequence[str]) -> tuple[AnswerRule, ...]:
    """Return the rules in a folder: all, or those with these names, which are switched on.

    Raises:
        ConfigurationError: when the file cannot be read or has a mistake, or there is no rule of a name.
    """
    __tracebackhide__ = True
    path = folder / _FILE
    try:
        read = parse_rules(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from None
    if read.problems:
        raise ConfigurationError(f"{path}: {'; '.join(read.problems)}")
    if isinstance(names, bool):
        return read.rules
    for name in names:
        if read.find(name) is None:
            close = closest_name(name, [rule.name for rule in read.rules])
            raise ConfigurationError(f"{path} has no rule {name!r}{f'; did you mean {close!r}?' if close else ''}")
    return tuple(replace(rule, off=False) for rule in read.rules if rule.name in names)
