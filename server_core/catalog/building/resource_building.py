"""Build the resource or template of a declaration, and the findings about it.

The function receives the parts of the URI by their names. A first parameter that is not a part and has no default takes
the URI itself, as in every resource written for Arcade.
"""

import re
from typing import Any, TypeAlias

from server_core.catalog.building.arguments import has_default, text_binder
from server_core.catalog.building.completion_sources import proposed_by_types, read_completions
from server_core.catalog.building.offer_options import descriptive, option_findings
from server_core.catalog.building.parameter_names import advertised_name
from server_core.catalog.building.signature import DefinitionFinding, Parameter, Signature, read_signature
from server_core.catalog.building.source_lines import source_of
from server_core.catalog.building.watched_files import folder_of, read_watched
from server_core.catalog.content import type_of
from server_core.catalog.declarations import ResourceDeclaration
from server_core.catalog.definitions import Callback, ResourceDefinition, ResourceTemplateDefinition
from server_core.catalog.file_contents import FileContents
from server_core.catalog.naming import Toolkit
from server_core.catalog.resource_uris import UI_SCHEME, UI_TYPE, path_of, uri_of
from server_core.errors import ToolInputError
from server_core.protocol.uri_templates import UriTemplate

Json: TypeAlias = dict[str, Any]


class NoContents:
    """The reader of a resource without a handler: it is empty."""

    def __call__(self) -> str:
        """Return an empty string."""
        return ""


def build_resource(
    name: str, declaration: ResourceDeclaration, toolkit: Toolkit | None = None
) -> tuple[ResourceDefinition | ResourceTemplateDefinition, list[DefinitionFinding]]:
    """Return the resource or template of a declaration, and the findings about it.

    Args:
        name: the name of the resource.
        declaration: the declaration.
        toolkit: the toolkit that it belongs to, unless it declares one.
    """
    options, uri = declaration.options, uri_of(declaration, toolkit)
    signature, findings = read_signature(
        declaration.function, declaration.names, has_output_schema=True, takes_texts=True
    )
    template = UriTemplate(uri)
    parts = set(template.variables)
    uri_parameter = _uri_parameter(signature, uri, parts)
    parameters = tuple(parameter for parameter in signature.parameters if parameter is not uri_parameter)
    findings += option_findings(declaration)
    findings += _path_findings(declaration) or _uri_findings(template, parameters)
    file = _file_of(declaration)
    findings += _file_findings(file)
    if isinstance(declaration.function, NoContents):
        findings.append(_NO_HANDLER)
    watched, of_watched = read_watched(declaration)
    findings += of_watched
    facts: Json = {
        **_types(uri, file),
        **descriptive(options),
        "name": name,
        "description": options.get("description") or _docstring(declaration, signature),
        "read": Callback(declaration.function, signature.is_async, signature.context_parameter),
        "bind": text_binder(signature.parameters),
        "uri_parameter": None if uri_parameter is None else advertised_name(uri_parameter),
        "source": source_of(declaration.function),
        "watch": watched,
    }
    if file is not None:
        facts |= {"read": Callback(file, is_async=False), "bind": dict, "uri_parameter": None}
        facts |= {"watch": (*watched, str(file.path))}
    completions, of_completions = read_completions(parts, options.get("completions") or {})
    findings += of_completions
    if not parts:
        return ResourceDefinition(uri=uri, **facts), findings
    facts.pop("size", None)
    completions = {**proposed_by_types(parameters), **completions}
    return ResourceTemplateDefinition(uri_template=uri, completions=completions, **facts), findings


def _docstring(declaration: ResourceDeclaration, signature: Signature) -> str | None:
    is_ours = isinstance(declaration.function, FileContents | NoContents)
    return None if is_ours else signature.docstring.description or None


def _uri_parameter(signature: Signature, uri: str, parts: set[str]) -> Parameter | None:
    """Return the parameter for the URI itself: the first, if it accepts text, is not a part and has no default."""
    first = next(iter(signature.parameters), None)
    if first is None or first.name in parts or has_default(first):
        return None
    return first if _takes_text(first, uri) else None


def _takes_text(parameter: Parameter, text: str) -> bool:
    try:
        text_binder([parameter])({advertised_name(parameter): text})
    except ToolInputError:
        return False
    return True


def _uri_findings(template: UriTemplate, parameters: tuple[Parameter, ...]) -> list[DefinitionFinding]:
    uri, parts, findings = template.text, set(template.variables), []
    if not re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", uri):
        findings.append(DefinitionFinding(f"The URI {uri!r} has no scheme.", "Write it as in `notes://today`."))
    if not template.is_matchable:
        findings.append(
            DefinitionFinding(f"The URI {uri!r} has a brace that is not part of an expression.", "Use `{name}`.")
        )
    if len(parts) < len(template.variables):
        findings.append(
            DefinitionFinding(f"The URI {uri!r} has an expression twice.", "Give each expression a separate name.")
        )
    names = {parameter.name for parameter in parameters}
    findings += [
        DefinitionFinding(
            f"The function does not accept the expression {part!r} of the URI.", f"Add the parameter `{part}: str`."
        )
        for part in sorted(parts - names)
    ]
    findings += [
        DefinitionFinding(
            f"The URI has no expression for the parameter {parameter.name!r}.",
            f"Add `{{{parameter.name}}}` to the URI.",
        )
        for parameter in parameters
        if parameter.name not in parts and not has_default(parameter)
    ]
    return findings


def _path_findings(declaration: ResourceDeclaration) -> list[DefinitionFinding]:
    options = declaration.options
    if options.get("uri"):
        both = options.get("path") or options.get("file") is not None
        return [DefinitionFinding("It has both a URI and a path.", "Remove one of them.")] if both else []
    path = path_of(declaration)
    if not path.strip("/"):
        fix = 'Write `@resource("notes://today")`, `@resource(path="today")` or `@resource(file="today.html")`.'
        return [DefinitionFinding("It has neither a URI nor a path.", fix)]
    if any(part in (".", "..") for part in path.split("/")):
        return [DefinitionFinding(f"The path {path!r} leads out of the toolkit.", "Remove the `..`.")]
    return []


def _file_of(declaration: ResourceDeclaration) -> FileContents | None:
    if (file := declaration.options.get("file")) is not None:
        return FileContents(folder_of(declaration) / file)
    return declaration.function if isinstance(declaration.function, FileContents) else None


_NO_HANDLER = DefinitionFinding(
    "It has no handler, so its content is always empty.",
    "Give it a `handler=`, the function that returns its content.",
    warning=True,
)


def _types(uri: str, file: FileContents | None) -> Json:
    """Return the default MIME type as an option."""
    mime_type = UI_TYPE if uri.startswith(f"{UI_SCHEME}://") else None if file is None else type_of(file.path)
    return {} if mime_type is None else {"mime_type": mime_type}


def _file_findings(file: FileContents | None) -> list[DefinitionFinding]:
    if file is None or file.path.exists():
        return []
    message = f"The file {file.path} does not exist, so clients get the error that the resource is not found."
    return [
        DefinitionFinding(message, "Correct the path, or create the file; it is opened at each read.", warning=True)
    ]
