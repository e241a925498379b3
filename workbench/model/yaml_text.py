"""YAML texts as JSON values with their lines, and values as YAML; the library is imported when a file is read.

Values are those of the core schema of YAML 1.2 (section 10.3.2, without octal and hexadecimal numbers): `no` and
`2026-01-31` are texts. A text with a mistake is read in part: the members of one mapping are tried one by one.
"""

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from yaml.nodes import Node

MAX_VALUES = 50_000
"""The values in a text, each reference to an anchor counted as what it repeats."""
_MAX_DEPTH = 100
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,4000}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
# Line breaks to YAML, but not to most editors; and a mark that is dropped at the start of a file.
_HIDDEN = re.compile("[\x85\u2028\u2029\ufeff]")


class YamlMistake(ValueError):
    """A mistake at a line of the text, counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Scalar:
    value: str | int | float | bool | None
    line: int


@dataclass(frozen=True, slots=True)
class Sequence:
    items: "list[YamlValue]"
    line: int


@dataclass(frozen=True, slots=True)
class Mapping:
    members: "dict[str, YamlValue]"
    line: int


YamlValue: TypeAlias = Scalar | Sequence | Mapping


def parse_yaml(text: str, table: str) -> tuple[YamlValue | None, list[str]]:
    """Return the value of a text, None if it is empty, and the mistakes in it.

    `table` is the mapping at the top whose members are read one by one if the text cannot be read as a whole.
    """
    try:
        return _parse(text), []
    except YamlMistake as mistake:
        members, problems = _separate_members(text, table)
        return members, problems or [f"line {mistake.line}: {mistake}"]


def json_value(value: YamlValue) -> Any:
    """Return the JSON value, without lines."""
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, Sequence):
        return [json_value(item) for item in value.items]
    return {name: json_value(member) for name, member in value.members.items()}


def yaml_text(value: Any) -> str:
    """Return a JSON value as YAML in the style of files that people edit."""
    import yaml

    def add_text(dumper: Any, text: str) -> Any:
        is_plain = isinstance(_scalar(text), str) and not _HIDDEN.search(text)
        style = "|" if is_plain and "\n" in text else None if is_plain else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)

    members = {"ignore_aliases": lambda self, data: True}
    dumper = type("Dumper", (yaml.SafeDumper,), members)
    dumper.add_representer(str, add_text)  # type: ignore[attr-defined]
    return str(yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=100))


def compose(text: str) -> "Node | None":
    """Return the root of the node graph of a text; YamlMistake if it cannot be read."""
    import yaml

    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlMistake(1 if mark is None else mark.line + 1, str(error.problem or error.context)) from error
    except yaml.YAMLError as error:
        position = getattr(error, "position", None)
        line = 1 if position is None else text.count("\n", 0, position) + 1
        raise YamlMistake(line, "a character is not allowed in YAML") from error
    except RecursionError as error:
        raise YamlMistake(1, "the values are nested too deeply") from error


def _parse(text: str) -> YamlValue | None:
    node = compose(text)
    return None if node is None else _YamlReader().value(node, 0)


class _YamlReader:
    """Reads one text; anchors may repeat values, so that a short text may have many."""

    def __init__(self) -> None:
        self._count = 0

    def value(self, node: "Node", depth: int) -> YamlValue:
        line = node.start_mark.line + 1
        self._count += 1
        if depth > _MAX_DEPTH or self._count > MAX_VALUES:
            raise YamlMistake(line, "there are too many values, or they are nested too deeply")
        if node.id == "sequence":
            return Sequence([self.value(item, depth + 1) for item in node.value], line)
        if node.id == "scalar":
            return Scalar(node.value if node.style else _scalar(node.value), line)
        members: dict[str, YamlValue] = {}
        for key, member in node.value:
            if key.id != "scalar":
                raise YamlMistake(key.start_mark.line + 1, "a key must be a text")
            if key.value in members:
                raise YamlMistake(key.start_mark.line + 1, f"{key.value!r} is there twice")
            value = self.value(member, depth + 1)
            # A value may begin on the line after its key.
            members[key.value] = _at_line(value, key.start_mark.line + 1)
        return Mapping(members, line)


def _at_line(value: YamlValue, line: int) -> YamlValue:
    if isinstance(value, Scalar):
        return Scalar(value.value, line)
    return Sequence(value.items, line) if isinstance(value, Sequence) else Mapping(value.members, line)


def _scalar(text: str) -> str | int | float | bool | None:
    """Return the value of a text without quotation marks."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def _separate_members(text: str, table: str) -> tuple[Mapping | None, list[str]]:
    """Return a table with those of its members that can be read, and the mistakes in the others."""
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if line.rstrip() == f"{table}:"), None)
    if start is None:
        return None, []
    indents = {number: len(line) - len(line.lstrip(" ")) for number, line in enumerate(lines) if _is_content(line)}
    inside = [number for number in indents if number > start]
    end = next((number for number in inside if not indents[number]), len(lines))
    inside = [number for number in inside if number < end]
    least = min((indents[number] for number in inside), default=0)
    heads = [number for number in inside if indents[number] == least]
    members: dict[str, YamlValue] = {}
    problems = []
    for head, following in zip(heads, [*heads[1:], end], strict=True):
        try:
            # The line breaks keep the numbers of the lines.
            part = _parse("\n" * head + "".join(lines[head:following]))
        except YamlMistake as mistake:
            problems.append(f"line {mistake.line}: {mistake}")
            continue
        if isinstance(part, Mapping):
            members |= part.members
    return Mapping({table: Mapping(members, start + 1)}, start + 1), problems


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")
