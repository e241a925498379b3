"""Build the tool of a declaration, and the findings about it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from server_core.catalog.building.arguments import read_arguments
from server_core.catalog.building.given_arguments import read_given_arguments
from server_core.catalog.building.results import read_given_result, read_result
from server_core.catalog.building.signature import DefinitionFinding, read_signature
from server_core.catalog.building.source_lines import source_of
from server_core.catalog.building.tool_meta import annotations_of, meta_of
from server_core.catalog.building.tool_options import distinct, option_findings, task_support_of, ui_uri
from server_core.catalog.declarations import ToolDeclaration
from server_core.catalog.definitions import Tool
from server_core.catalog.naming import ToolNames
from server_core.errors import ErrorKind, ToolInputError
from server_core.protocol.header_parameters import header_parameters
from server_core.runtime.safe_json import dump_json

Json: TypeAlias = dict[str, Any]


def build_tool(names: ToolNames, declaration: ToolDeclaration) -> tuple[Tool | None, list[DefinitionFinding]]:
    """Return the tool of a declaration, and the findings about it.

    Args:
        names: the names of the tool.
        declaration: the declaration.

    Returns:
        The tool is None when a finding is more than a warning.
    """
    options = declaration.options
    given_input, given_output = options.get("input_schema"), options.get("output_schema")
    signature, findings = read_signature(
        declaration.function,
        declaration.names,
        has_input_schema=given_input is not None,
        has_output_schema=given_output is not None,
    )
    input_schema, bind, of_arguments = (
        read_arguments(signature) if given_input is None else read_given_arguments(signature, given_input)
    )
    output_schema, dump, of_result = (
        read_result(signature.returns) if given_output is None else read_given_result(given_output)
    )
    findings += [*of_arguments, *of_result, *_header_findings(input_schema), *option_findings(names, declaration)]
    description = options.get("description") or signature.docstring.description
    if not description:
        findings.append(_no_description(names.tool))
    if any(not finding.warning for finding in findings):
        return None, findings
    examples, of_examples = read_examples(options.get("examples", ()), bind)
    findings += of_examples
    title = options.get("title") or names.title
    auth, metadata = options.get("requires_auth"), options.get("metadata")
    secrets, metadata_keys = (
        distinct(options.get("requires_secrets", ())),
        distinct(options.get("requires_metadata", ())),
    )
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
        annotations=annotations_of(title, metadata, options.get("annotations")),
        meta=meta_of(
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


def read_examples(given: Any, bind: Callable[[Json], Json]) -> tuple[list[Json], list[DefinitionFinding]]:
    """Return the valid examples of a tool, and a warning for each invalid example.

    Args:
        given: the argument `examples` of the decorator.
        bind: validates the arguments of a call.
    """
    examples: list[Json] = []
    findings: list[DefinitionFinding] = []
    fix = 'Write the arguments of a call, as in `examples=[{"city": "Oslo"}]`.'
    if not isinstance(given, Iterable) or isinstance(given, str | dict):
        return [], [DefinitionFinding("The examples must be a list.", fix, _INPUT, warning=True, part="@examples")]
    for number, example in enumerate(given, 1):
        if (wrong := _example_problem(example, bind)) is None:
            examples.append(example)
        else:
            message = f"Example {number} is omitted: {wrong}"
            findings.append(DefinitionFinding(message, fix, _INPUT, warning=True, part="@examples"))
    return examples, findings


_INPUT = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


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


def _no_description(tool: str) -> DefinitionFinding:
    return DefinitionFinding(
        f"Tool {tool!r} is missing a description. Tool descriptions are specified as docstrings for the tool function.",
        "Write a docstring, or pass `desc=` to the decorator, so that a model knows when to use it.",
        warning=True,
    )


def _full_description(description: str | None, deprecation: str | None) -> str | None:
    if deprecation is None:
        return description or None
    return f"[DEPRECATED: {deprecation}] {description or ''}".rstrip()


def _header_findings(input_schema: Json) -> Iterator[DefinitionFinding]:
    for problem in header_parameters(input_schema)[1]:
        yield DefinitionFinding(
            f"HTTP clients would ignore this tool: {problem}.",
            "Give each header a separate name of letters, digits and `-`, on a parameter that is a str, int or bool.",
            _INPUT,
        )
