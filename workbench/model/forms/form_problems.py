"""The problems of a filled-in form, at the fields where a user can solve them.

A field has one problem: its text cannot be converted, it has no value, or the first violation of the schema.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.model.describe import json_line
from workbench.model.forms.checker import Violation
from workbench.model.forms.choice_problem import label_list
from workbench.model.forms.field import Field, FieldState, Path


@dataclass(frozen=True, slots=True)
class FormProblem:
    path: Path
    message: str


def find_problems(
    root: Field, violations: list[Violation] | None, file_problems: Mapping[Path, str | None] | None = None
) -> list[FormProblem]:
    """Set the `problem` of each field; the violations are None if not validated, `file_problems` of unread files."""
    fields = list(root.visible())
    files = file_problems or {}
    for field in fields:
        field.problem = field.typing_problem or _missing(field, is_validated=violations is not None)
    for violation in violations or ():
        _place(root, violation)
    for field in fields:
        # The name of a file is not the value.
        if field.file is not None and (field.path not in files or files[field.path] is not None):
            field.problem = files.get(field.path)
    return [FormProblem(field.path, field.problem) for field in fields if field.problem is not None]


def _missing(field: Field, *, is_validated: bool) -> str | None:
    """Return the problem of a field without a value, where validation does not report it."""
    if field.state is FieldState.OMITTED and field.is_own_key:
        # The schema requires no value, but the user has written the key.
        return "needs a value; otherwise remove the key"
    if field.state is not FieldState.OMITTED or not field.required or field.variant is not None:
        return None
    if isinstance(field.key, int):
        # Validation does not receive an item that is left out.
        return "needs a value; otherwise remove the item" if field.can_remove and not _is_at_end(field) else None
    return None if is_validated else "required"


def _is_at_end(item: Field) -> bool:
    """Whether an item has no value, and none after it: it is not sent, and was only begun."""
    items = [] if item.parent is None else item.parent.children
    return all(other.state is FieldState.OMITTED for other in items[items.index(item) :])


def _place(root: Field, violation: Violation) -> None:
    """Set the problem at the field of the violation, or at the nearest field above it."""
    field = root
    for depth, key in enumerate(violation.path):
        child = _child(field, key)
        if child is None:
            _add(field, f"{_subpath(violation.path[depth:])}: {violation.message}")
            return
        field = child
    if violation.keyword in ("anyOf", "oneOf"):
        origin = field.shape.variants[field.variant].origin if field.variant is not None else ()
        _place_alternatives(root, field, violation, origin)
    else:
        _add(field, violation.message)


def _child(field: Field, key: str | int) -> Field | None:
    target = field.target
    if target.kind == "array" and isinstance(key, int):
        items = target.sent_items()
        return items[key] if key < len(items) else None
    return target.child(key) if target.kind in ("object", "map") else None


def _place_alternatives(root: Field, field: Field, violation: Violation, origin: tuple[int, ...]) -> None:
    """Report the violations of the chosen alternative, or of the only alternative that is plausible."""
    branches = violation.branches
    if origin and origin[0] < len(branches):
        for inner in branches[origin[0]]:
            if inner.path == violation.path and inner.keyword in ("anyOf", "oneOf"):
                _place_alternatives(root, field, inner, origin[1:])
            else:
                _place(root, inner)
        if branches[origin[0]]:
            return
    elif field.target.kind == "choice" or field.shape.kind == "choice":
        _add(field, f"choose one of {label_list([choice.label for choice in field.shape.choices])}")
        return
    else:
        fitting = [branch for branch in branches if not _is_other_type(branch, violation.path)]
        if len(fitting) == 1 and fitting[0]:
            for inner in fitting[0]:
                _place(root, inner)
            return
    _add(field, _common_message(branches) or violation.message)


def _common_message(branches: list[list[Violation]]) -> str:
    """Return a common message for all alternatives: "must be text or null"; empty if that is too complex."""
    firsts = dict.fromkeys(branch[0].message for branch in branches if branch)
    if not firsts or not all(message.startswith("must be ") for message in firsts):
        return ""
    return "must be " + " or ".join(message.removeprefix("must be ") for message in firsts)


def _is_other_type(branch: list[Violation], path: tuple[str | int, ...]) -> bool:
    return any(violation.keyword in ("type", "const", "enum") and violation.path == path for violation in branch)


def _add(field: Field, message: str) -> None:
    target = field.target
    if target.problem is None:
        target.problem = message


def _subpath(path: tuple[str | int, ...]) -> str:
    """Return a place inside a JSON field in the usual notation: a.b[0]."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            name = key if key.isidentifier() else json_line(key, 40)
            text += f".{name}" if text else name
    return text
