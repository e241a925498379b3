"""References in the arguments of a call, which get their values when the call is sent.

    ${secret:NAME}         the value of a secret
    ${last.result.a[0]}    a value in the last result; its path begins at the structured content, the JSON in its text,
                           or the result itself, whichever has it
    $${secret:NAME}        the text ${secret:NAME}

A text that is only a reference becomes the value, of any type; in a longer text the value is inserted as text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from server_core.runtime.safe_json import parse_json_or_none
from workbench.model.json_members import objects_in, text_in

MAX_DEPTH = 100
"""Levels of arguments in which references are looked for."""

STEPS = r"(?:\.[\w-]+|\[\d+\]|\[\"[^\"\\]*\"\])*"
"""The path of a reference: `.a`, `[0]` and `["a b"]`, any number of times."""
MISSING = object()
_PATTERN = re.compile(rf"(\$?)\$\{{(?:secret:([A-Za-z_]\w*)|last\.result({STEPS}))\}}")
_STEP = re.compile(r"\.([\w-]+)|\[(\d+)\]|\[\"([^\"]*)\"\]")
_MASKED = re.compile(r"<secret ([A-Za-z_]\w*)>")


class UnresolvedReference(ValueError):
    """A reference has no value; the message explains it, and contains no value."""


@dataclass(frozen=True, slots=True)
class Values:
    """What references stand for: secrets by name, and the last result, which None means that there is none."""

    secrets: Mapping[str, str]
    last_result: dict[str, Any] | None = None


def is_reference(value: object) -> bool:
    """Whether a value is a text with a reference, so that its type is known only when it is sent."""
    return isinstance(value, str) and "${" in value and any(not match.group(1) for match in _PATTERN.finditer(value))


def has_references(value: object) -> bool:
    """Whether there is something to resolve, which includes texts that only look like references."""
    return any(_PATTERN.search(text) for text in _texts(value))


def secret_names(value: object) -> list[str]:
    """Return the names of the secrets that a value refers to."""
    matches = (match for text in _texts(value) for match in _PATTERN.finditer(text))
    return list(dict.fromkeys(match.group(2) for match in matches if match.group(2) and not match.group(1)))


def uses_last_result(value: object) -> bool:
    matches = (match for text in _texts(value) for match in _PATTERN.finditer(text))
    return any(not match.group(1) and not match.group(2) for match in matches)


def resolved(value: Any, values: Values) -> Any:
    """Return a JSON value with the values of its references; UnresolvedReference if one has none."""
    if isinstance(value, dict):
        return {name: resolved(member, values) for name, member in value.items()}
    if isinstance(value, list):
        return [resolved(item, values) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PATTERN.fullmatch(value)
    if whole is not None and not whole.group(1):
        return _value(whole, values)
    return _PATTERN.sub(lambda match: _text(match, values), value)


def with_references(value: Any) -> Any:
    """Return arguments as a capture has them, with a reference in the place of each masked secret.

    What looks like a reference there was sent as text, perhaps by another client, and is text again.
    """
    if isinstance(value, dict):
        return {name: with_references(member) for name, member in value.items()}
    if isinstance(value, list):
        return [with_references(item) for item in value]
    if not isinstance(value, str):
        return value
    return _MASKED.sub(r"${secret:\1}", literal_references(value))


def literal_references(text: str) -> str:
    """Return a text that resolves to the given one, whatever in it looks like a reference."""
    return _PATTERN.sub(lambda match: f"${match.group()}", text)


def copied_reference(value: object, definition: object) -> str | None:
    """Return a text with a reference that is also a text in a definition, so that the server may have written it."""
    given = frozenset(filter(is_reference, _texts(definition)))
    return next((text for text in _texts(value) if text in given), None)


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < MAX_DEPTH:
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts(member, depth + 1)


def _text(match: re.Match[str], values: Values) -> str:
    if match.group(1):
        return match.group()[1:]
    value = _value(match, values)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(match: re.Match[str], values: Values) -> Any:
    reference, name, path = match.group(), match.group(2), match.group(3)
    if name is not None:
        if name not in values.secrets:
            raise UnresolvedReference(
                f"{reference}: this secret is not set; set it with `workbench secret set {name}`."
            )
        return values.secrets[name]
    if values.last_result is None:
        raise UnresolvedReference(f"{reference}: there is no earlier result yet; run the call that it needs first.")
    for root in _roots(values.last_result):
        if (value := value_at(root, path)) is not MISSING:
            return value
    raise UnresolvedReference(f"{reference}: the last result has no value there.")


def _roots(result: dict[str, Any]) -> Iterator[Any]:
    """Yield the values in which a path is looked up."""
    structured = result.get("structuredContent")
    if isinstance(structured, dict):
        if structured.keys() == {"result"}:
            # A server wraps a value that is not an object (server/tools, structured content).
            yield structured["result"]
        yield structured
    texts = [text_in(item, "text") for item in objects_in(result, "content") if item.get("type") == "text"]
    if len(texts) == 1:
        parsed = parse_json_or_none(texts[0].encode("utf-8", "replace"))
        yield texts[0] if parsed is None else parsed
    yield result


def value_at(value: Any, path: str) -> Any:
    """Return the value at the path of a reference; :data:`MISSING` if there is none."""
    for step in _STEP.finditer(path):
        name, index = step.group(1) or step.group(3), step.group(2)
        if index is not None and isinstance(value, list) and len(index) < 10 and int(index) < len(value):
            value = value[int(index)]
        elif name is not None and isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return MISSING
    return value
