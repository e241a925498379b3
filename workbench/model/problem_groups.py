"""The rows of a list of problems: errors, then warnings, then advice; what is the same for several is a group.

A problem is the JSON of a problem of the load, or of a finding about a definition.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from workbench.model.json_members import text_in

Problem: TypeAlias = Mapping[str, Any]

LEAST = 3
"""The number of problems that make a group."""

_ORDER = {"error": 0, "warning": 1, "advice": 2}
_QUOTED = re.compile(r"'([^']*)'")
# What the problems of a rule have in common, where their messages differ in more than a name.
_TITLES = {
    "enum-values": "Choices that are not texts",
    "large-definition": "Definitions that cost many tokens in every request",
    "limit-in-prose": "Limits that only a description has",
    "long-name": "Names that some clients truncate",
    "missing-description": "No description",
    "one-of": "Alternatives in oneOf, which strict OpenAI schemas refuse",
    "open-object": "Objects without named members, which Gemini and strict OpenAI schemas refuse",
    "parameter-description": "Parameters without a description",
    "recursive-type": "Types that contain themselves, which some clients refuse",
    "refused-value": "Defaults or examples that do not match their schema",
    "string-format": "Formats that OpenAI does not support",
    "tuple": "Tuples, which some clients refuse",
    "type-list": "Lists of types, which some clients refuse",
    "untyped": "Values without a type, which Gemini refuses",
}


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems of the same kind with the same advice."""

    key: tuple[str, ...]
    title: str
    problems: tuple[Problem, ...]

    @property
    def severity(self) -> str:
        return str(self.problems[0]["severity"])

    @property
    def fix(self) -> str:
        return text_in(self.problems[0], "fix")

    @property
    def names(self) -> list[str]:
        """The names in the messages, such as those of the tools."""
        matches = (_QUOTED.search(text_in(problem, "message")) for problem in self.problems)
        return list(dict.fromkeys(match[1] for match in matches if match))


def grouped(problems: Iterable[Problem]) -> list[Problem | ProblemGroup]:
    """Return the problems, each group of them at the place of its first problem."""
    by_key: dict[tuple[str, ...], list[Problem]] = {}
    for problem in sorted(problems, key=lambda problem: _ORDER.get(str(problem["severity"]), len(_ORDER))):
        by_key.setdefault(_key(problem), []).append(problem)
    rows: list[Problem | ProblemGroup] = []
    for key, members in by_key.items():
        if len(members) < LEAST:
            rows += members
        else:
            rows.append(ProblemGroup(key, _title(members[0]), tuple(members)))
    return rows


def problem_line(problem: Problem) -> str:
    """Return a problem on one line, in the form of `workbench lint`."""
    place = f"{problem['file']}:{problem['line']}: " if problem["file"] else ""
    text = f"{problem['message']} {problem['fix']}".strip()
    return f"{place}{problem['severity']}: {text}".replace("\n", " ")


def _key(problem: Problem) -> tuple[str, ...]:
    kind = text_in(problem, "rule") or _unnamed(problem)
    return str(problem["severity"]), kind, text_in(problem, "fix")


def _title(problem: Problem) -> str:
    return _TITLES.get(text_in(problem, "rule")) or _unnamed(problem).removesuffix(".")


def _unnamed(problem: Problem) -> str:
    """Return the message without the names in it."""
    return _QUOTED.sub("…", text_in(problem, "message"))
