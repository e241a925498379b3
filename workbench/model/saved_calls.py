"""Saved calls: a YAML text with the calls of a project, by name, and the mistakes in it.

    calls:
      order for Ada:                 # the name
        tool: order                  # or resource, template, prompt
        arguments:
          guest: Ada
          key: ${secret:SUPPLIER_KEY}
          note: "@note.txt"          # the content of a file; @@ begins a text with @

A mistake is described with its line, and all other calls are used. Texts are read as in YAML 1.2: `no` is a text.
"""

from dataclasses import dataclass, field
from typing import Any

from server_core.runtime.suggestions import closest_name
from workbench.model.catalog import OfferKind
from workbench.model.describe import json_line
from workbench.model.short_text import escaped
from workbench.model.yaml_text import Mapping, Scalar, YamlMistake, YamlValue, json_value, parse_yaml

CALLS = "calls"
"""The key of the calls in the file."""
MAX_NAME = 100
_KINDS = {kind.value: kind for kind in OfferKind}
_MEMBERS = (*_KINDS, "arguments")


@dataclass(frozen=True, slots=True)
class SavedCall:
    """A call with a name; its arguments may contain references (`workbench.model.references`).

    The texts of a saved call are as they are typed in a form (`workbench.model.forms.file_text`).
    """

    name: str
    kind: OfferKind
    target: str  # the name of the tool or prompt, or the URI of the resource or template
    arguments: dict[str, Any] = field(default_factory=dict)
    is_recorded: bool = False  # Whether it comes from a capture: its texts name no files.

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.target

    @property
    def note(self) -> str:
        """What it calls, in one line."""
        return f"{self.target} {json_line(self.arguments, 200)}" if self.arguments else self.target

    def to_yaml(self) -> dict[str, Any]:
        call: dict[str, Any] = {self.kind.value: self.target}
        return call | {"arguments": self.arguments} if self.arguments else call


@dataclass(frozen=True, slots=True)
class SavedCalls:
    """The calls of a project, in the order of the file."""

    calls: tuple[SavedCall, ...] = ()
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> SavedCall | None:
        return next((call for call in self.calls if call.name == name), None)


def problem_of_name(name: str) -> str | None:
    """Return why a call cannot have this name; None if it can."""
    if not name.strip():
        return "Enter a name, or press Esc."
    if name != name.strip() or len(name) > MAX_NAME or not name.isprintable():
        return f"A name has at most {MAX_NAME} printable characters, and no space at its ends."
    return None


def parse_saved_calls(text: str) -> SavedCalls:
    if not text.strip():
        return SavedCalls()
    document, problems = parse_yaml(text, CALLS)
    if document is None:
        return SavedCalls(problems=tuple(problems))
    if not isinstance(document, Mapping):
        return SavedCalls(problems=(*problems, f"line {document.line}: the file must be a mapping with {CALLS}"))
    table = document.members.get(CALLS)
    for name, member in document.members.items():
        if name != CALLS:
            problems.append(f"line {member.line}: there is no setting {escaped(name)}; the file has only {CALLS}")
    if table is None or (isinstance(table, Scalar) and table.value is None):
        return SavedCalls(problems=tuple(problems))
    if not isinstance(table, Mapping):
        return SavedCalls(problems=(*problems, f"line {table.line}: {CALLS} must be a mapping of names to calls"))
    calls = []
    for name, value in table.members.items():
        try:
            calls.append(_call(name, value))
        except YamlMistake as mistake:
            problems.append(f"line {mistake.line}: {escaped(name)}: {mistake}")
    return SavedCalls(tuple(calls), tuple(problems))


def _call(name: str, value: YamlValue) -> SavedCall:
    if (problem := problem_of_name(name)) is not None:
        raise YamlMistake(value.line, problem)
    if not isinstance(value, Mapping):
        raise YamlMistake(value.line, "write `tool: NAME` below it, and its arguments")
    for member, content in value.members.items():
        if member not in _MEMBERS:
            close = closest_name(member, _MEMBERS)
            guess = f"; did you mean {close}?" if close else f"; a call has {', '.join(_MEMBERS)}"
            raise YamlMistake(content.line, f"there is no {escaped(member)}{guess}")
    kinds = [kind for kind in _KINDS if kind in value.members]
    if len(kinds) != 1:
        raise YamlMistake(value.line, f"write exactly one of {', '.join(_KINDS)}")
    target = value.members[kinds[0]]
    if not isinstance(target, Scalar) or not isinstance(target.value, str) or not target.value:
        raise YamlMistake(target.line, f"{kinds[0]} must be a text")
    arguments = value.members.get("arguments")
    if arguments is None or (isinstance(arguments, Scalar) and arguments.value is None):
        return SavedCall(name, _KINDS[kinds[0]], target.value)
    if not isinstance(arguments, Mapping):
        raise YamlMistake(arguments.line, "arguments must be a mapping of names to values")
    return SavedCall(name, _KINDS[kinds[0]], target.value, json_value(arguments))
