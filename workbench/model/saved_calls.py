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

from workbench.model.catalog import OfferKind
from workbench.model.describe import json_line
from workbench.model.project_yaml import CALLS, check_members, object_of, only_member, read_table, text_of
from workbench.model.yaml_text import Mapping, YamlMistake, YamlValue

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

    def find_same(self, key: tuple[str, str], arguments: dict[str, Any]) -> SavedCall | None:
        """Return the call of an offer with these arguments; None if there is none."""
        return next((call for call in self.calls if call.key == key and call.arguments == arguments), None)


def parse_saved_calls(text: str) -> SavedCalls:
    return SavedCalls(*read_table(text, CALLS, _call))


def _call(name: str, value: YamlValue) -> SavedCall:
    if not isinstance(value, Mapping):
        raise YamlMistake(value.line, "write `tool: NAME` below it, and its arguments")
    check_members(value, _MEMBERS, "a call")
    kind = only_member(value, _KINDS)
    target = text_of(value.members[kind], kind)
    arguments = value.members.get("arguments")
    given = {} if arguments is None else object_of(arguments, "arguments", "names to values")
    return SavedCall(name, _KINDS[kind], target, given)
