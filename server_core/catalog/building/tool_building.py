"""Build the tool of a declaration, and the findings about it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from server_core.auth.requirement import AuthRequirement
from server_core.catalog.building.argument_schemas import read_arguments
from server_core.catalog.building.custom_arguments import read_custom_arguments
from server_core.catalog.building.result_schemas import read_custom_result, read_result
from server_core.catalog.building.signature import DefinitionFinding, read_signature
from server_core.catalog.building.source_lines import source_of
from server_core.catalog.building.tool_options import deduplicate, option_findings, task_support_of, ui_uri
from server_core.catalog.declarations import ToolDeclaration
from server_core.catalog.definitions import Tool
from server_core.catalog.naming import ToolNames
from server_core.errors import ErrorKind, ToolInputError
from server_core.metadata import ToolMetadata
from server_core.protocol.header_parameters import header_parameters
from server_core.runtime.safe_json import dump_json

Json: TypeAlias = dict[str, Any]

_BAD_INPUT_SCHEMA = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


def build_tool(names: ToolNames, declaration: ToolDeclaration) -> tuple[Tool | None, list[DefinitionFinding]]:
    """Return the tool of a declaration, and the findings about it; the tool is None unless all are warnings."""
    options = declaration.options
    input_option, output_option = options.get("input_schema"), options.get("output_schema")
    signature, findings = read_signature(
        declaration.function,
        declaration.names,
        has_input_schema=input_option is not None,
        has_output_schema=output_option is not None,
    )
    input_schema, bind, argument_findings = (
        read_arguments(signature) if input_option is None else read_custom_arguments(signature, input_option)
    )
    output_schema, dump, result_findings = (
        read_result(signature.returns) if output_option is None else read_custom_result(output_option)
    )
    findings += [
        *argument_findings,
        *result_findings,
        *_header_findings(input_schema),
        *option_findings(names, declaration),
    ]
    description = options.get("description") or signature.docstring.description
    if not description:
        findings.append(_missing_description(names.tool))
    if any(not finding.warning for finding in findings):
        return None, findings
    # The rest uses options that were checked above. Only examples are checked here, because that needs the binder.
    examples, example_findings = _read_examples(options.get("examples", ()), bind)
    findings += example_findings
    title = options.get("title") or names.title
    auth, metadata = options.get("requires_auth"), options.get("metadata")
    secrets = deduplicate(options.get("requires_secrets", ()))
    metadata_keys = deduplicate(options.get("requires_metadata", ()))
    ui = ui_uri(options.get("ui"), names.toolkit)
    tool = Tool(
        name=names.wire,
        title=title,
        description=_full_description(description, declaration.deprecation),
        function=declaration.function,
        is_async=signature.is_async,
        input_schema={**input_schema, "examples": examples} if examples else input_schema,
        bind=bind,
        dump=dump,
        output_schema=output_schema,
        annotations=_annotations_of(title, metadata, options.get("annotations")),
        meta=_meta_of(
            options.get("meta"),
            auth=auth,
            secrets=secrets,
            metadata_keys=metadata_keys,
            metadata=metadata,
            ui=ui,
        ),
        icons=options.get("icons"),
        source=source_of(declaration.function),
        secrets=secrets,
        context_parameter=signature.context_parameter,
        timeout=options.get("timeout"),
        adapters=tuple(options.get("adapters", ())),
        task_support=task_support_of(options.get("execution")) or "forbidden",
        requires_auth=auth,
        requires_metadata=metadata_keys,
        metadata=metadata,
        ui=ui,
        retries=options.get("retries", 0),
        examples=tuple(examples),
        deprecation=declaration.deprecation,
        toolkit=names.toolkit,
        qualified_name=names.qualified,
        short_name=names.tool if names.toolkit is not None else "",
    )
    return tool, findings


def _header_findings(input_schema: Json) -> Iterator[DefinitionFinding]:
    _, problems = header_parameters(input_schema)
    for problem in problems:
        yield DefinitionFinding(
            f"HTTP clients would ignore this tool: {problem}.",
            "Give each header a separate name of letters, digits and `-`, on a parameter that is a str, int or bool.",
            _BAD_INPUT_SCHEMA,
        )


def _missing_description(tool: str) -> DefinitionFinding:
    return DefinitionFinding(
        f"Tool {tool!r} is missing a description. Tool descriptions are specified as docstrings for the tool function.",
        "Write a docstring, or pass `desc=` to the decorator, so that a model knows when to use it.",
        warning=True,
    )


def _read_examples(option: Any, bind: Callable[[Json], Json]) -> tuple[list[Json], list[DefinitionFinding]]:
    """Return the valid examples of a tool, and a warning for each invalid example."""
    examples: list[Json] = []
    findings: list[DefinitionFinding] = []
    fix = 'Write the arguments of a call, as in `examples=[{"city": "Oslo"}]`.'
    if not isinstance(option, Iterable) or isinstance(option, str | dict):
        return [], [
            DefinitionFinding("The examples must be a list.", fix, _BAD_INPUT_SCHEMA, warning=True, part="@examples")
        ]
    for number, example in enumerate(option, 1):
        if (problem := _example_problem(example, bind)) is None:
            examples.append(example)
        else:
            message = f"Example {number} is omitted: {problem}"
            findings.append(DefinitionFinding(message, fix, _BAD_INPUT_SCHEMA, warning=True, part="@examples"))
    return examples, findings


def _example_problem(example: Any, bind: Callable[[Json], Json]) -> str | None:
    if not isinstance(example, dict):
        return f"it is {type(example).__name__}, not a dict."
    try:
        dump_json(example, allow_nan=False)
        bind(example)
    except ToolInputError as error:
        return error.message
    except (TypeError, ValueError) as error:
        return f"it cannot be represented in JSON: {error}."
    return None


def _full_description(description: str | None, deprecation: str | None) -> str | None:
    """Return the description for clients, which begins with the deprecation, if any; None if it would be empty."""
    if deprecation is None:
        return description or None
    return f"[DEPRECATED: {deprecation}] {description or ''}".rstrip()


def _annotations_of(title: str | None, metadata: ToolMetadata | None, written: Json | None) -> Json | None:
    """Return the annotations, the author's before ours; None for none. Source: server/tools, ToolAnnotations."""
    behavior = metadata.behavior if metadata is not None else None
    title_member = {"title": title} if title else {}  # Clients of 2025-03-26 read it here.
    return {**title_member, **(behavior.hints() if behavior else {}), **(written or {})} or None


def _meta_of(
    written: Json | None,
    *,
    auth: AuthRequirement | None,
    secrets: Sequence[str],
    metadata_keys: Sequence[str],
    metadata: ToolMetadata | None,
    ui: str | None,
) -> Json | None:
    """Return the `_meta` of a tool, from that which its author wrote; None when it is empty.

    Requirements and metadata are in `_meta.arcade`, where orchestrators for Arcade's servers expect them.
    """
    requirements = _non_empty(
        authorization=auth and _without_none(auth.to_json()),
        secrets=[{"key": key} for key in secrets],
        metadata=[{"key": key} for key in metadata_keys],
    )
    arcade = _non_empty(requirements=requirements, metadata=metadata and metadata.to_json())
    meta = {**(written or {}), **_non_empty(arcade=arcade)}
    if ui is not None:
        ui_member = meta.get("ui")
        meta["ui"] = {**(ui_member if isinstance(ui_member, dict) else {}), "resourceUri": ui}
    return meta or None


def _non_empty(**members: Any) -> Json:
    return {name: value for name, value in members.items() if value}


def _without_none(value: Json) -> Json:
    return {name: member for name, member in value.items() if member is not None}
