"""Check for missing and meaningless descriptions."""

import re
from collections.abc import Iterator
from typing import Any

from workbench.model.json_members import text_in
from workbench.model.lint.finding import Finding, Json, advice, schema_of, warning

_SHORT = 12
# OpenAI's limit for the description of a function.
_LONGEST = 1024
_ELSEWHERE = "Give it a `description`."


def tool_description(tool: Json) -> Iterator[Finding]:
    """Find a description that is missing, meaningless, or too long."""
    name, description = text_in(tool, "name"), text_in(tool, "description").strip()
    if not description:
        yield warning(
            "missing-description",
            f"Tool {name!r} has no description, so a model cannot know when to use it.",
            "Write a docstring, or give `desc=` to the decorator.",
            _ELSEWHERE,
        )
    elif len(description) < _SHORT or _bare(description) == _bare(name):
        yield advice(
            "short-description",
            f"Tool {name!r}: its description only repeats its name.",
            "Describe what it does, when to use it, and what it returns.",
        )
    elif len(description) > _LONGEST:
        yield warning(
            "long-description",
            f"Tool {name!r}: its description has {len(description)} characters; OpenAI accepts {_LONGEST}.",
            "Keep what a model needs to select the tool, and move the rest to the parameters.",
        )


def parameter_descriptions(tool: Json) -> Iterator[Finding]:
    """Find parameters without a description."""
    properties = schema_of(tool).get("properties")
    missing = [
        name
        for name, schema in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(schema, dict) and not _is_described(schema)
    ]
    if missing:
        names = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
        yield advice(
            "parameter-description",
            f"Tool {text_in(tool, 'name')!r} does not describe: {names}.",
            'Write `Annotated[str, "what it is"]`, or a line under Args in the docstring.',
            "Give each a `description` in the input schema.",
        )


def argument_descriptions(prompt: Json) -> Iterator[Finding]:
    """Find prompts, and arguments of prompts, without a description."""
    name = text_in(prompt, "name")
    if not text_in(prompt, "description").strip():
        yield advice("missing-description", f"Prompt {name!r} has no description.", "Write a docstring.", _ELSEWHERE)
    arguments = prompt.get("arguments")
    for argument in arguments if isinstance(arguments, list) else ():
        if isinstance(argument, dict) and not text_in(argument, "description").strip():
            yield advice(
                "parameter-description",
                f"Prompt {name!r} does not describe {text_in(argument, 'name')!r}.",
                'Write `Annotated[str, "what it is"]`.',
                _ELSEWHERE,
            )


def resource_description(resource: Json) -> Iterator[Finding]:
    """Find resources without a description or MIME type."""
    uri = text_in(resource, "uri") or text_in(resource, "uriTemplate")
    if not text_in(resource, "description").strip():
        yield advice("missing-description", f"Resource {uri!r} has no description.", "Write a docstring.", _ELSEWHERE)
    if not text_in(resource, "mimeType"):
        yield advice(
            "missing-mime-type",
            f"Resource {uri!r} has no MIME type.",
            'Give `mime_type="text/markdown"`, for example.',
            "Give its `mimeType`, such as `text/markdown`.",
        )


def _is_described(schema: dict[str, Any]) -> bool:
    return bool(text_in(schema, "description").strip() or schema.get("const") is not None)


def _bare(words: str) -> str:
    return re.sub(r"[^a-z0-9]", "", words.lower())
