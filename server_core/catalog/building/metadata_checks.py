"""Find the mistakes in the `metadata` of a tool, whose constructors validate nothing."""

import math
import reprlib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from server_core.metadata import Behavior, Classification, Operation, ServiceDomain, ToolMetadata
from server_core.runtime.suggestions import closest_name

_MUTATING = (Operation.CREATE, Operation.UPDATE, Operation.DELETE)
_ADVICE = "Fix the contradiction, or set strict=False to bypass."
# Far below the depth at which encoding raises RecursionError.
_MAX_LEVELS = 100


def faults_of(metadata: Any) -> list[str]:
    """Return the mistakes in the metadata of a tool, a sentence each."""
    if not isinstance(metadata, ToolMetadata):
        return [f"Expected a ToolMetadata instance for 'metadata', but got {type(metadata).__name__}."]
    faults = [*_faults_of_values(metadata), *_faults_of_extras(metadata.extras)]
    return faults if faults or not metadata.strict else list(_contradictions(metadata))


def _faults_of_values(metadata: ToolMetadata) -> Iterator[str]:
    classification, behavior = metadata.classification, metadata.behavior
    if classification is not None and not isinstance(classification, Classification):
        yield f"Expected a Classification instance for 'classification', but got {type(classification).__name__}."
    elif classification is not None:
        yield from _faults_of_words("service_domains", classification.service_domains, ServiceDomain)
    if behavior is not None and not isinstance(behavior, Behavior):
        yield f"Expected a Behavior instance for 'behavior', but got {type(behavior).__name__}."
    elif behavior is not None:
        yield from _faults_of_words("operations", behavior.operations, Operation)
        for name in ("read_only", "destructive", "idempotent", "open_world"):
            if not isinstance(value := getattr(behavior, name), bool | None):
                yield f"Behavior.{name} must be True, False or None, not {reprlib.repr(value)}."


def _faults_of_words(name: str, words: Any, known: type[StrEnum]) -> Iterator[str]:
    if words is None:
        return
    if isinstance(words, str) or not isinstance(words, Sequence):
        yield f"The {name} must be a list, not {type(words).__name__}."
        return
    for word in words:
        if word not in list(known):
            similar = closest_name(str(word), known)
            guess = f"; did you mean {str(similar)!r}?" if similar else "."
            yield f"The {name} contain {reprlib.repr(word)}, which is not in {known.__name__}{guess}"


def _contradictions(metadata: ToolMetadata) -> Iterator[str]:
    behavior = metadata.behavior or Behavior()
    operations = [Operation(operation) for operation in behavior.operations or ()]
    if behavior.read_only and (mutating := [operation for operation in operations if operation in _MUTATING]):
        names = ", ".join(operation.value.upper() for operation in mutating)
        yield (
            f"Tool has the mutating operation(s): '{names}' in its behavior metadata, but is marked read_only=True. "
            f"{_ADVICE}"
        )
    if behavior.read_only and Operation.OPAQUE in operations:
        yield (
            "Tool has OPAQUE operation but is marked read_only=True. Cannot guarantee read-only when the operation is "
            f"indeterminate. {_ADVICE}"
        )
    if behavior.destructive is False and Operation.DELETE in operations:
        yield f"Tool has the 'DELETE' operation but is not marked destructive=True. {_ADVICE}"
    if behavior.open_world is False and metadata.classification and metadata.classification.service_domains:
        yield f"Tool has a ServiceDomain (implying an external service) but is marked open_world=False. {_ADVICE}"


def _faults_of_extras(extras: Any) -> Iterator[str]:
    if extras is None:
        return
    if not isinstance(extras, dict):
        yield f"ToolMetadata.extras must be a dict, not {type(extras).__name__}."
        return
    if violations := list(_unsafe_values(extras, "extras", ())):
        yield (
            "ToolMetadata.extras must contain only JSON-safe types (str, int, float, bool, None, dict, list). "
            f"Found violations: {'; '.join(violations)}. "
            "All dict keys must be strings, and all values must be JSON-native types."
        )


def _unsafe_values(value: Any, path: str, containers: tuple[int, ...]) -> Iterator[str]:
    """Describe each value that JSON cannot represent, with its path; `containers` has the ids of what contains it."""
    if id(value) in containers or len(containers) > _MAX_LEVELS:
        yield f"{path[:200]} contains itself or is nested too deeply"
        return
    inside = (*containers, id(value))
    if isinstance(value, dict):
        for key, item in value.items():
            inner = f"{path}[{reprlib.repr(key)}]"
            if not isinstance(key, str):
                yield f"{inner} has a non-string key of type {type(key).__name__} — all dict keys must be strings"
            yield from _unsafe_values(item, inner, inside)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unsafe_values(item, f"{path}[{index}]", inside)
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{path} has a non-JSON-safe float value {value!r} — NaN and Infinity are not valid JSON numbers"
    elif not isinstance(value, str | int | float | None):
        yield f"{path} has a non-JSON-safe value of type {type(value).__name__} (got {reprlib.repr(value)})"
